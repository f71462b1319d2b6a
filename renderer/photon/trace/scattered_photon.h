// Scattering of a photon's power towards the viewer.
#pragma once

#include "renderer/path/surface_interaction.h"

TL_DEVICE_BEGIN

/// Fraction of a photon's power that diffuse and rough lobes scatter towards the viewer, 1/sr:
/// their BSDF. eval_wide() includes the cosine of the incoming light, which is divided out here,
/// because the density of photons on a surface already falls with it. `direction`: as in Photon.
TL_D inline vec3 scattered_by_wide_lobes(const PathHit& h, const SurfaceInteraction& at,
                                         std::uint32_t direction) {
    constexpr float kLeastCosine = 0.05f;
    vec3 travel = unpack_direction<16>(direction);
    float cosine = maximum(fabsf(fused_dot(h.geometric_normal, travel)), kLeastCosine);
    return at.bsdf.eval_wide(at.lit.to_viewer, -travel) / cosine;
}

TL_DEVICE_END
