// Reciprocal square root on both devices.
#pragma once

#include "core/base/math.h"

namespace tl {

/// 1 / sqrt(x) for x > 0, on a GPU by one instruction, with an error of two ulps.
TL_HD inline float inverse_root(float x) {
#if defined(__CUDA_ARCH__)
    return rsqrtf(x);
#else
    return 1 / sqrtf(x);
#endif
}

}  // namespace tl
