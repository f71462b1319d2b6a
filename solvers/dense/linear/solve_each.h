// Many small systems at once, A_k X_k = B_k, by PLU factorisations with partial pivoting: a block
// of threads for each system, so that a GPU solves hundreds at the same time, and the CPU one on
// each core. The thesis of Brodtkorb (2007, section 5.2.2) gives the devices single systems.
#pragma once

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Most rows of each system: a panel of columns has to fit into a block's shared memory.
inline constexpr int kMostRowsOfEach = 512;

/// Returns the number of systems, a_cols / rows. Throws UserError unless it is whole and divides
/// b_cols, `b_rows` equals the rows, and these are at most kMostRowsOfEach.
[[nodiscard]] int count_systems(int rows, int a_cols, int b_rows, int b_cols);

/// X = [X_1 X_2 ...] with A_k X_k = B_k for A = [A_1 A_2 ...] and B = [B_1 B_2 ...], on the
/// stream's device: n x nk and n x rk elements for k systems with r right sides each. Waits for the
/// stream. Throws UserError for other shapes, a zero pivot or a solution that is not finite, and
/// Cancelled.
template <class T>
[[nodiscard]] Matrix<T> solve_each(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                                   SolverRun& run);

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Overwrites A with factors and B with X. `status` of a system: -1 for success, the column of
    // the first zero pivot, or n if the solution is not finite.
    template <class T> void solve_systems(Stream& stream, MatrixView<T> a, MatrixView<T> b,
                                          View<int> status);
)
// clang-format on
