// Splitting at a hit: one ray at mirrors and two at glass, up to the maximum depth, while their
// throughput reaches the cutoff. It is the same in every pipeline.
#pragma once

#include "renderer/path/gloss.h"
#include "renderer/path/path_ray.h"
#include "renderer/whitted/whitted_config.h"

TL_DEVICE_BEGIN

/// PathFrame with the settings of the Whitted tracer.
struct WhittedFrame : PathFrame {
    WhittedConfig config;
    Gloss gloss{};  ///< the surfaces of the scene that distribute rays
};

/// for_each_bounce for rays within depth and cutoff; none if the hit is neither mirror nor
/// dielectric. `in_pixel`: factor of `from`'s weight in the pixel.
template <class Emit>
TL_HD void for_each_branch(const SceneView& scene, const WhittedConfig& config, const PathRay& from,
                           const PathHit& h, vec3 in_pixel, Emit&& emit) {
    if (!h.is_specular() || from.depth() >= static_cast<std::uint32_t>(config.max_depth)) return;
    in_pixel *= from.throughput;
    for_each_bounce(
        scene, config.fresnel, from, h,
        [&](vec3 weight) { return reaches_cutoff(weight * in_pixel, config.cutoff); }, emit);
}

/// All rays spawned by a smooth mirror or dielectric. Rays from glossy surfaces are followed depth
/// first (FollowedRays), so that such a hit is a leaf in the queues.
struct Branches {
    BouncedRay rays[2];
    std::uint32_t count = 0;
};

TL_HD inline Branches branches_of(const SceneView& scene, const WhittedFrame& frame,
                                  const PathRay& from, const PathHit& h) {
    Branches branches;
    if (is_glossy(frame.gloss, *h.surface.material)) return branches;
    for_each_branch(scene, frame.config, from, h, vec3(1),
                    [&](const BouncedRay& ray, bool) { branches.rays[branches.count++] = ray; });
    return branches;
}

TL_DEVICE_END
