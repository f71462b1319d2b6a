// What surfaces scatter broadly of light that is even all around, for renderers that look such
// light up in place of following paths.
#pragma once

#include "renderer/paths/path_place.h"

TL_DEVICE_BEGIN

/// Towards the viewer. Phong's lobe has an estimate by `n` directions that the sampler's next pair
/// draws, others for each of its samples.
TL_D inline vec3 broad_albedo(const PathPlace& at, const Sampler& sampler, std::uint32_t n) {
    if (!at.bsdf.has_broad_phong()) n = 1;
    SamplePair directions = sampler.pair(0);
    vec3 sum(0);
    for (std::uint32_t k = 0; k < n; ++k)
        sum += at.bsdf.broad_albedo(at.lit.to_viewer, directions.point(sampler.sample() * n + k));
    return sum / static_cast<float>(n);
}

TL_DEVICE_END
