// Linear systems with badly scaled rows and columns.
#pragma once

#include <optional>
#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Solves A X = B. Rows and columns of A, and columns of B, are scaled by powers of two to about 1,
/// against overflow and underflow. Returns none if the scaled matrix has a zero pivot, or the
/// solution is not finite. B is in host memory, column by column. Needs memory for two copies of A.
template <class T>
[[nodiscard]] std::optional<Matrix<T>> solve_equilibrated(Stream& stream, MatrixView<const T> a,
                                                          const std::vector<T>& b, SolverRun& run);

}  // namespace tl
