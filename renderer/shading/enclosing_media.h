// The dielectrics that enclose points where paths start: the camera, photon sources, and points of
// surfaces.
#pragma once

#include "core/device/array.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes Media::bits of the dielectrics that contain `point`, found by tracing a ray to the
    /// outside of the scene: it leaves them without having entered them. The inside of an open
    /// surface is the side opposite its normals. `media`: one number in device memory. Never waits.
    void find_enclosing_media(Stream& stream, const SceneView& scene, vec3 point,
                              std::uint32_t* media);

    /// Writes Media::bits of the dielectrics that contain each point to media[i], by the same
    /// method. Never waits.
    void find_enclosing_media(Stream& stream, const SceneView& scene, View<const vec3> points,
                              View<std::uint32_t> media);

    /// Sets scene.source_media, in memory of `scratch`: the media around one point of each of
    /// scene.photon_sources. They are 0 for directional lights, environments, patches and the
    /// background. Does nothing unless scene.media_matter.
    void find_media_of_sources(Scratch& scratch, SceneView& scene);
)
// clang-format on
