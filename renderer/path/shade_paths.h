// Shades the hits of a bounce: adds emission, samples lights and BSDFs, and outputs the shadow rays
// and the next bounce's rays.
#pragma once

#include "renderer/path/hit_groups.h"
#include "renderer/path/path_queues.h"

TL_DEVICE_BEGIN

struct ShadeJob {
    PathTracerFrame frame;
    PathQueue from, to;
    ShadowQueue shadows;
    GatherQueue gathers;     ///< empty where paths do not gather
    View<Hit> hits;          ///< of the rays in `from`
    HitGroups groups;        ///< of `hits`, on a GPU
    const GroupSize* sizes;  ///< of `groups`
    View<vec4> sums;         ///< of each path slot: the sample's radiance, and the number of rays
    WaveCounts* counts;      ///< [0]: of this bounce, [1]: of the next one
    bool is_first;           ///< camera rays
    std::uint32_t capacity;
};

/// Features of a scene as a template argument: unused features would take registers in every
/// thread.
enum class SceneClass {
    simple,    ///< no patches, textures, vertex colours or microfacet BSDFs
    textured,  ///< no patches, no lights with a texture, no emission of splats and spheres
    any,
};
/// Class of a scene; always `any` on the CPU, which has one kernel.
[[nodiscard]] inline SceneClass class_of(const SceneView& scene) {
#if defined(__CUDACC__)
    if (scene.tree.patches.empty() && !scene.has_textured_lights && !scene.has_point_emission())
        return scene.textures || scene.has_colors() || scene.ggx ? SceneClass::textured
                                                                 : SceneClass::simple;
#endif
    (void)scene;
    return SceneClass::any;
}

/// Shades one bounce. kGather: whether paths gather (follow_path.h); not compiled for `textured`.
template <SceneClass kClass, bool kGather = false>
void shade_paths(Stream& stream, const ShadeJob& job);

TL_DEVICE_END
