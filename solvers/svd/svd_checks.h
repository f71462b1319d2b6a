// Steps common to all SVD modes: checks of the request and the elements, scaling by a power of two
// that brings the largest element to about 1, so that no square over- or underflows, and sorting.
#pragma once

#include "solvers/dense/matrix_norms.h"
#include "solvers/svd/svd.h"

namespace tl {

/// Throws UsageError if a rank is combined with full vectors or is out of range.
void check_request(int rows, int cols, const SvdRequest& request);

/// The exponent e for which the largest element of a * 2^-e, or part of one, is in [0.5, 1); 0 for
/// a matrix of zeros. Throws UserError naming the first element that is not finite.
template <class T>
[[nodiscard]] int scale_exponent(Stream& stream, MatrixView<const T> a, bool& all_zero);

/// A copy of the first `count` columns.
template <class T>
[[nodiscard]] Matrix<T> first_columns(Stream& stream, const Matrix<T>& a, int count);

/// Sorts the values in descending order, stably, and with them the columns of u and v (n x n).
/// `spare` (n x n) is overwritten.
template <class T>
void sort_triplets(Stream& stream, std::vector<double>& values, MatrixView<T> u, MatrixView<T> v,
                   MatrixView<T> spare);

}  // namespace tl
