// Euler's beta function: the integral of t^(x-1) (1-t)^(y-1) over t in [0, 1].
#pragma once

#include "core/base/math.h"

namespace tl {

/// Euler's beta function for x and y in [1, 1e5]. The relative error is 5e-6, plus a rounding error
/// for each 1 of x + y. It is computed by Stirling's series at x + 3 and y + 3, and from there by
/// the recurrence of the gamma function.
[[nodiscard]] TL_HD inline float beta_function(float x, float y) {
    constexpr float kHalfLogTwoPi = 0.918938533f;
    float p = x + 3, q = y + 3, s = p + q, z = x + y;
    auto series = [](float v) { return (1 / 12.0f - 1 / (360.0f * v * v)) / v; };
    float log_of_beta = (p - 0.5f) * logf(p / s) + (q - 0.5f) * logf(q / s) +
                        (kHalfLogTwoPi - 0.5f * logf(s)) + (series(p) + series(q) - series(s));
    float back = (z * (z + 1) / (x * y)) * ((z + 2) * (z + 3) / ((x + 1) * (y + 1))) *
                 ((z + 4) * (z + 5) / ((x + 2) * (y + 2)));
    return expf(log_of_beta) * back;
}

}  // namespace tl
