// The dielectrics that enclose points where paths start: the camera and the sources of photons.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the media (Media::bits) around `point`. A ray to the scene's outside crosses the faces
    /// of those dielectrics from inside; so of open surfaces the side away from their normals is
    /// inside. Never waits.
    void find_enclosing_media(Stream& stream, const SceneView& scene, vec3 point,
                              std::uint32_t* media);

    /// Sets scene.source_media, in memory of `scratch`: the same for the middle of each of
    /// scene.photon_sources, 0 for those without a position. Does nothing where media do not matter.
    void find_media_of_sources(Scratch& scratch, SceneView& scene);
)
// clang-format on
