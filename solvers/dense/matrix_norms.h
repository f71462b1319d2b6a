// Norms of matrices on a device, scaling, and the check that every element is finite.
#pragma once

#include <string>

#include "solvers/dense/complex_parts.h"

namespace tl {

/// The largest magnitude of an element, or of a part of a complex one; 0 for an empty matrix.
/// Throws UserError naming the first element that is not finite:
/// "WHO: element (i, j), counted from 0, is not finite: WHY".
template <class T>
[[nodiscard]] RealOf<T> largest_magnitude(Stream& stream, MatrixView<const T> a,
                                          const std::string& who, const std::string& why);

/// The largest magnitude of each column; infinity for one with an element that is not finite.
template <class T>
[[nodiscard]] std::vector<double> column_sizes(Stream& stream, MatrixView<const T> a);
/// Whether all elements are finite.
template <class T>
[[nodiscard]] bool all_finite(Stream& stream, MatrixView<const T> a);
/// The exponents e of sizes in [2^(e - 1), 2^e); 0 for zero.
[[nodiscard]] std::vector<int> exponents_of(const std::vector<double>& sizes);

/// The Frobenius norm: NaN if an element is not finite; squares neither overflow nor underflow.
template <class T>
[[nodiscard]] double frobenius_norm(Stream& stream, MatrixView<const T> a);
/// The largest 2-norm of a column over `unit`, the largest magnitude of an element, which is above
/// 0: from 1 to the root of the rows.
template <class T>
[[nodiscard]] double largest_column_norm(Stream& stream, MatrixView<const T> a, T unit);
/// The largest sum of a column's magnitudes.
template <class T>
[[nodiscard]] double one_norm(Stream& stream, MatrixView<const T> a);
/// The largest sum of a row's magnitudes.
template <class T>
[[nodiscard]] double infinity_norm(Stream& stream, MatrixView<const T> a);

}  // namespace tl

TL_FOR_DEVICES(
    // largest[j] = max |a(i, j)|; bad_row[j] = the first row that is not finite, or -1.
    template <class T>
    void column_maxima(Stream& stream, MatrixView<const T> a, View<T> largest, View<int> bad_row);
    // to = from * 2^exponent, exact even if 2^exponent is out of range.
    template <class T>
    void scale_by_power(Stream& stream, MatrixView<const T> from, int exponent, MatrixView<T> to);
    // to(i, j) = from(i, j) * 2^(of_rows[i] + of_columns[j]), exact even if the powers are out of
    // range; a view may be empty, for zeros. `to` may be `from`.
    template <class T>
    void scale_by_powers(Stream& stream, MatrixView<const T> from, View<const int> of_rows,
                         View<const int> of_columns, MatrixView<T> to);
    // largest[i] = max |a(i, j)|; NaN may be ignored.
    template <class T> void row_maxima(Stream& stream, MatrixView<const T> a, View<double> largest);
    // sums[j] = sum of the squares of column j times `scale`.
    template <class T>
    void column_squares(Stream& stream, MatrixView<const T> a, double scale, View<double> sums);
    // sums[j] = sum of the magnitudes of column j.
    template <class T> void column_sums(Stream& stream, MatrixView<const T> a, View<double> sums);
    // sums[i] = sum of the magnitudes of row i.
    template <class T> void row_sums(Stream& stream, MatrixView<const T> a, View<double> sums);
    // A -= I.
    template <class T> void subtract_identity(Stream& stream, MatrixView<T> a);)
