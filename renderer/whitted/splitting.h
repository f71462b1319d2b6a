// Which rays of a pixel's tree go on: those from mirrors and both from glass, down to the greatest
// depth, as long as they count in the pixel. The same in every pipeline.
#pragma once

#include "renderer/shading/path.h"
#include "renderer/whitted/whitted_config.h"

TL_DEVICE_BEGIN

/// What kernels need of a frame besides rays.
struct WhittedFrame : PathFrame {
    WhittedConfig config;
};

/// for_each_bounce of the rays that go on; none where the hit is neither mirror nor dielectric.
/// `in_pixel`: what of `from`'s weight arrives in the pixel.
template <class Emit>
TL_HD void for_each_branch(const SceneView& scene, const WhittedConfig& config, const PathRay& from,
                           const PathHit& h, vec3 in_pixel, Emit&& emit) {
    if (!h.is_specular() || from.depth() >= static_cast<std::uint32_t>(config.max_depth)) return;
    in_pixel *= from.weight;
    for_each_bounce(
        scene, config.fresnel, from, h,
        [&](vec3 weight) { return counts_in_pixel(weight * in_pixel, config.cutoff); }, emit);
}

/// All of them.
struct Branches {
    BouncedRay rays[2];
    std::uint32_t count = 0;
};

TL_HD inline Branches branches_of(const SceneView& scene, const WhittedConfig& config,
                                  const PathRay& from, const PathHit& h) {
    Branches branches;
    for_each_branch(scene, config, from, h, vec3(1),
                    [&](const BouncedRay& ray, bool) { branches.rays[branches.count++] = ray; });
    return branches;
}

TL_DEVICE_END
