// Linear systems whose rows and columns differ much in size.
#pragma once

#include <optional>
#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Solves A X = B with the rows and columns of A, and the columns of B, scaled by powers of two to
/// about 1, so that nothing overflows or underflows which the solution does not need. None if the
/// scaled matrix has a zero pivot, or the solution is not finite. B is in host memory, column by
/// column. Needs memory for two copies of A.
template <class T>
[[nodiscard]] std::optional<Matrix<T>> solve_equilibrated(Stream& stream, MatrixView<const T> a,
                                                          const std::vector<T>& b, SolverRun& run);

}  // namespace tl
