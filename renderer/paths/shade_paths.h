// Shades what a bounce's rays have met, and draws the rays that follow.
#pragma once

#include "renderer/paths/hit_groups.h"
#include "renderer/paths/path_queues.h"

TL_DEVICE_BEGIN

struct ShadeJob {
    PathTracerFrame frame;
    PathQueue from, to;
    ShadowQueue shadows;
    GatherQueue gathers;  ///< empty where paths do not gather
    View<Hit> hits;       ///< of the rays in `from`
    HitGroups groups;     ///< of these, on a GPU, and
    const GroupSize* sizes;
    View<vec4> sums;     ///< of each lane: the sample's radiance, and the number of rays
    WaveCounts* counts;  ///< of this bounce, and the next one's after them
    bool is_first;       ///< the rays are the camera's
    std::uint32_t capacity;
};

/// What a scene lacks, known to the compiler: its code would take registers in every thread.
enum class SceneClass {
    simple,    ///< no patches, textures or colours of vertices, nor surfaces that scatter by
               ///< microfacets
    textured,  ///< no patches, no lights with a texture
    any,
};
/// One kernel is enough for the CPU.
[[nodiscard]] inline SceneClass class_of(const SceneView& scene) {
#if defined(__CUDACC__)
    if (scene.tree.patches.empty() && !scene.has_textured_lights)
        return scene.textures || scene.has_colors() || scene.ggx ? SceneClass::textured
                                                                 : SceneClass::simple;
#endif
    (void)scene;
    return SceneClass::any;
}

/// `kGather`: whether paths gather (follow_path.h), which is not compiled for textured scenes.
template <SceneClass kClass, bool kGather = false>
void shade_paths(Stream& stream, const ShadeJob& job);

TL_DEVICE_END
