// The fit of measured times to a + b n^3, by least squares (Brodtkorb 2007, section 4.1.1): for
// large n the ratio of two b is the speed-up of one way over another (equation 4.7).
#pragma once

#include <span>

namespace tl {

struct CubicFit {
    double a = 0;    ///< seconds at n = 0; may be below 0
    double b = 0;    ///< seconds
    double rms = 0;  ///< root mean square of what the fit leaves of the times, seconds
};

/// Fits the seconds of problems of size n > 0. There must be two different sizes.
[[nodiscard]] CubicFit fit_cubic(std::span<const double> sizes, std::span<const double> seconds);

}  // namespace tl
