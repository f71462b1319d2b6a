// What a surface scatters broadly and what it does not, apart: one of them is drawn where only one
// can go on.
#pragma once

#include "accel/parallel/math.h"

TL_DEVICE_BEGIN

struct DrawnPart {
    bool is_sharp;
    vec3 weight;  ///< of what goes on: its share over the chance that it was drawn
};

/// `share`: of what is not scattered broadly (Bsdf::sharp_share); `number`: in [0, 1).
TL_D inline DrawnPart draw_part(vec3 share, float number) {
    float chance = (share.x + share.y + share.z) / 3;
    if (number < chance) return {true, share / chance};
    return {false, (vec3(1) - share) / (1 - chance)};
}

TL_DEVICE_END
