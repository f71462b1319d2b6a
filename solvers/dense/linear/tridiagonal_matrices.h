// Dense matrices side by side, A = [A_1 A_2 ...], written on the device from the few numbers of
// symmetric tridiagonal ones, so that only these have to be uploaded.
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// Returns the number of matrices. Throws UserError unless `diagonals` and `beside` have the same
/// size, with one row at least.
[[nodiscard]] int count_tridiagonals(int rows, int cols, int beside_rows, int beside_cols);

/// Returns k matrices of n x n elements, n x nk. Column t of `diagonals` (n x k) is the diagonal of
/// A_t. Element i of column t of `beside` (n x k) stands between the cells i and i + 1 of A_t, on
/// both sides of the diagonal; the last one between the last cell and the first, where it is added.
/// Throws UserError for other shapes. Never waits.
template <class T>
[[nodiscard]] Matrix<T> tridiagonal_matrices(Stream& stream, MatrixView<const T> diagonals,
                                             MatrixView<const T> beside);

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Writes the elements that are not 0 into `a`, whose others are 0.
    template <class T> void write_tridiagonals(Stream& stream, MatrixView<const T> diagonals,
                                               MatrixView<const T> beside, MatrixView<T> a);
)
// clang-format on
