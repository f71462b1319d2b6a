// What a lobe does with light from one direction.
#pragma once

#include "accel/parallel/math.h"

namespace tl {

struct LobeValue {
    vec3 bsdf{0};   ///< 1/sr
    float pdf = 0;  ///< the density with which the lobe draws the direction, 1/sr
};

}  // namespace tl
