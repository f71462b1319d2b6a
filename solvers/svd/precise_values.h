// Singular values in more digits than double has, on the host: what the errors of the modes are
// measured against. Shares no code with them.
#pragma once

#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// A real number with 64 bits of significand on x86-64, more than double's 53.
using Extended = long double;

/// Singular values of `a`, descending, off by some roundings of Extended times the largest value.
/// Householder reflectors leave a bidiagonal matrix (8/3 n^3 operations for n x n), whose values
/// are found by bisection with Sturm counts (Golub & Kahan 1965). Needs 16 bytes for each element.
/// Throws UserError if an element is not finite or memory is insufficient, and Cancelled.
[[nodiscard]] std::vector<Extended> precise_singular_values(const HostMatrix<double>& a,
                                                            SolverRun& run);

}  // namespace tl
