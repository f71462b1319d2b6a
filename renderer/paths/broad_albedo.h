// What surfaces scatter broadly of light that is even all around, for renderers that look such
// light up in place of following paths.
#pragma once

#include "renderer/paths/path_place.h"

TL_DEVICE_BEGIN

/// Towards the viewer: exact for Lambert's lobe, else an estimate by `n` directions that the
/// sampler's next two pairs draw, others for each of its samples.
TL_D inline vec3 broad_albedo(const PathPlace& at, const Sampler& sampler, std::uint32_t n) {
    if (at.bsdf.is_broad_lambert()) return at.bsdf.albedo;
    SamplePair choices = sampler.pair(0), directions = sampler.pair(1);
    vec3 sum(0);
    for (std::uint32_t k = 0; k < n; ++k) {
        std::uint32_t number = sampler.sample() * n + k;
        BsdfSample s;
        if (at.bsdf.sample(at.lit.to_viewer, choices.point(number).x, directions.point(number), s))
            sum += at.bsdf.eval_broad(at.lit.to_viewer, s.direction) / s.pdf;
    }
    return sum / static_cast<float>(n);
}

TL_DEVICE_END
