// The dielectrics that enclose the points where paths start: the camera and the photon sources.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the media (Media::bits) that contain `point`, found by a ray to the outside of the
    /// scene: it crosses their faces from inside. The inside of an open surface is the side that
    /// its normals point away from. `media`: one number in device memory. Never waits.
    void find_enclosing_media(Stream& stream, const SceneView& scene, vec3 point,
                              std::uint32_t* media);

    /// Sets scene.source_media, in memory of `scratch`: the media around one point of each of
    /// scene.photon_sources, as find_enclosing_media() finds them. 0 for sources without such a
    /// point: directional lights, environments and patches. Does nothing where media do not matter.
    void find_media_of_sources(Scratch& scratch, SceneView& scene);
)
// clang-format on
