// A lobe evaluated for one direction: BSDF and pdf.
#pragma once

#include "core/base/math.h"

namespace tl {

struct LobeValue {
    vec3 bsdf{0};   ///< 1/sr
    float pdf = 0;  ///< density of the lobe's sampling for the direction, 1/sr
};

}  // namespace tl
