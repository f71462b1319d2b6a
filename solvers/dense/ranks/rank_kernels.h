// Kernels on the local parts of matrices that are spread over ranks.
#pragma once

#include "solvers/dense/matrix.h"

TL_FOR_DEVICES(
    // Row to_rows[i] of `to` becomes row from_rows[i] of `from`. Rows that are read are not
    // written.
    template <class T>
    void copy_rows(Stream& stream, MatrixView<const T> from, View<const int> from_rows,
                   MatrixView<T> to, View<const int> to_rows);
    // Row positions[i] of `to` becomes row rows[i] of A, which becomes row replacements[i] of A
    // unless that is below 0. Rows that replace others are not replaced.
    template <class T>
    void take_and_replace_rows(Stream& stream, MatrixView<T> a, View<const int> rows,
                               View<const int> replacements, MatrixView<T> to,
                               View<const int> positions);)
