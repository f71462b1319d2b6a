// Albedo of a surface's wide lobes (diffuse or rough glossy): the fraction of uniform incident
// radiance that they scatter. For renderers that estimate such light from a cache or photon map.
#pragma once

#include "renderer/path/surface_interaction.h"

TL_DEVICE_BEGIN

/// Returns the albedo of the wide lobes towards the viewer. For a Phong lobe it is a Monte Carlo
/// estimate from `n` directions, drawn from the sampler's first pair and distinct in each sample.
TL_D inline vec3 wide_lobe_albedo(const SurfaceInteraction& at, const Sampler& sampler,
                                  std::uint32_t n) {
    if (!at.bsdf.has_wide_phong()) n = 1;
    SamplePair directions = sampler.pair(0);
    vec3 sum(0);
    for (std::uint32_t k = 0; k < n; ++k)
        sum +=
            at.bsdf.wide_lobe_albedo(at.lit.to_viewer, directions.point(sampler.sample() * n + k));
    return sum / static_cast<float>(n);
}

TL_DEVICE_END
