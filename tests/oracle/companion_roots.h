// Roots of a polynomial as the eigenvalues of its companion matrix, computed with LAPACK.
#pragma once

#include <vector>

namespace tl::test {

/// Real roots in (lo, hi) of coefficients[0] x^n + ... + coefficients[n]; the first is not 0.
[[nodiscard]] std::vector<double> companion_roots(const std::vector<double>& coefficients,
                                                  double lo, double hi);

}  // namespace tl::test
