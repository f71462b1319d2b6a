// PLU factorisation on the CPU: right-looking by blocks of columns, the panels by recursion (Toledo
// 1997), and the next panel while other threads still update the rest (look-ahead).
#pragma once

#include <functional>
#include <span>

#include "solvers/dense/matrix.h"

namespace tl {

/// A becomes L (unit diagonal, not stored) and U; swaps[k] is the row that row k was exchanged with
/// before step k, for each of min(rows, columns) steps. Elements must be finite. `block`: columns
/// of a panel, at most 256. `progress` is called with the fraction done and may throw.
template <class T>
void factorise_on_cpu(MatrixView<T> a, std::span<int> swaps, int block,
                      const std::function<void(double)>& progress);

/// Exchanges rows k and swaps[k] of A for all k in ascending order.
template <class T>
void swap_rows(MatrixView<T> a, std::span<const int> swaps);

/// Divides the rows [first, end) of a column by a pivot.
template <class T>
void divide_column(T* column, int first, int end, T pivot);

/// B = L^-1 B in the calling thread, L being unit lower triangular; what is above is not read.
template <class T>
void solve_unit_lower(MatrixView<const T> l, MatrixView<T> b);

}  // namespace tl
