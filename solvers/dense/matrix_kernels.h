// Small kernels on matrices on one device; input and output views must not overlap. Complex
// matrices have all but the permutation of columns.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

TL_FOR_DEVICES(
    // Sets the identity; the matrix need not be square.
    template <class T> void set_identity(Stream& stream, MatrixView<T> a);
    template <class T> void set_zero(Stream& stream, MatrixView<T> a);
    // Elements (i, j) with i < j become zero.
    template <class T> void zero_above_diagonal(Stream& stream, MatrixView<T> a);
    template <class T> void copy_matrix(Stream& stream, MatrixView<const T> from, MatrixView<T> to);
    // The transpose, or the conjugate transpose of complex matrices.
    template <class T>
    void transpose_matrix(Stream& stream, MatrixView<const T> from, MatrixView<T> to);
    // Column j of `to` is column order[j] of `from`.
    template <class T> void permute_columns(Stream& stream, MatrixView<const T> from,
                                            View<const int> order, MatrixView<T> to);
    // A(:, j) *= factors[j].
    template <class T> void scale_columns(Stream& stream, MatrixView<T> a, View<const T> factors);
    // A complex matrix from a real one: to(i, :) = factors[i] from(i, :).
    template <class T> void scale_rows(Stream& stream, MatrixView<const T> from,
                                       View<const Complex<T>> factors, MatrixView<Complex<T>> to);)
