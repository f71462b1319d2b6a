// Random choice between the two parts of a surface's scattering: diffuse and rough lobes, or
// specular and narrow glossy lobes. Used where a photon can continue in one of them only.
#pragma once

#include "core/base/math.h"

TL_DEVICE_BEGIN

/// The drawn part.
struct DrawnPart {
    bool is_narrow;
    /// Throughput factor: the part's fraction of the scattered light, divided by its probability.
    vec3 weight;
};

/// Draws a part. `share`: fraction that is specular or narrow glossy (Bsdf::narrow_share);
/// `number`: uniform in [0, 1).
TL_D inline DrawnPart draw_part(vec3 share, float number) {
    float chance = (share.x + share.y + share.z) / 3;
    if (number < chance) return {true, share / chance};
    return {false, (vec3(1) - share) / (1 - chance)};
}

TL_DEVICE_END
