// The sRGB transfer function (IEC 61966-2-1).
#pragma once

#include <cmath>

#include "accel/parallel/macros.h"

namespace tl {

TL_HD inline float linear_from_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

}  // namespace tl
