// Estimated error of a pixel's mean, as displayed.
#pragma once

#include "core/base/macros.h"
#include "core/base/math.h"

namespace tl {

/// Estimated standard error of a pixel's mean plus its bias, as a fraction of the display's range
/// at exposure 0. It is scaled by the slope of the square root, limited near black to sRGB's 12.92.
/// `sum`, `half`: FilmView::radiance_sum of all samples and half_sum of the odd-numbered ones.
/// Infinite where either half of the samples has none.
[[nodiscard]] TL_HD inline float displayed_error(vec4 sum, vec4 half, vec3 bias) {
    if (!(half.w > 0) || !(half.w < sum.w)) return kInfinity;
    float largest = 0;
    for (int c = 0; c < 3; ++c) {
        constexpr float kDarkest = 1 / (4 * 12.92f * 12.92f);
        float mean = sum[c] / sum.w, apart = fabsf(half[c] / half.w - mean);
        // A channel that is certainly clipped to white has no visible error.
        if (mean - 3 * apart > 1) continue;
        apart += fabsf(bias[c]);
        largest = maximum(largest, apart / (2 * sqrtf(maximum(mean, kDarkest))));
    }
    return largest;
}

}  // namespace tl
