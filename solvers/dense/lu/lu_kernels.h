// Small kernels on the factors of a PLU factorisation; input and output must not overlap.
#pragma once

#include "solvers/dense/matrix.h"

TL_FOR_DEVICES(
    // L (m x k, ones on the diagonal) and U (k x n) of factors in one matrix (m x n).
    template <class T> void unpack_lower(Stream& stream, MatrixView<const T> lu, MatrixView<T> l);
    template <class T> void unpack_upper(Stream& stream, MatrixView<const T> lu, MatrixView<T> u);
    // Row i of `to` is row order[i] of `from`.
    template <class T> void gather_rows(Stream& stream, MatrixView<const T> from,
                                        View<const int> order, MatrixView<T> to);
    // Row order[i] of `to` is row i of `from`.
    template <class T> void scatter_rows(Stream& stream, MatrixView<const T> from,
                                         View<const int> order, MatrixView<T> to);
    // to = from * 2^exponent, rounded to float.
    void narrow_matrix(Stream& stream, MatrixView<const double> from, int exponent,
                       MatrixView<float> to);
    // Column j of `to` is that of `from`, rounded, times scales[j].
    void narrow_columns(Stream& stream, MatrixView<const double> from, View<const double> scales,
                        MatrixView<float> to);
    // Column j of `to` gains that of `from` divided by scales[j].
    void add_columns(Stream& stream, MatrixView<const float> from, View<const double> scales,
                     MatrixView<double> to);)
