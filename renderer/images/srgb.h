// The sRGB transfer function and its inverse (IEC 61966-2-1).
#pragma once

#include <cmath>

#include "core/base/macros.h"

namespace tl {

TL_HD inline float linear_from_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}
TL_HD inline float srgb_from_linear(float x) {
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
}

}  // namespace tl
