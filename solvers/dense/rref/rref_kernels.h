// Kernels of the reduced row echelon form.
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// State of an elimination, in device memory.
struct EchelonState {
    int rank;     ///< rows that have a pivot
    int current;  ///< the row whose pivot is eliminated with; -1: the column has none
};

}  // namespace tl

TL_FOR_DEVICES(
    // Eliminates down the columns [first, first + width) of A below row state->rank, and counts it
    // up: pivots[i] becomes the pivot column of row i, and swaps[i] the row that it was exchanged
    // with, in these columns alone. Multipliers stay below the pivots.
    template <class T>
    void eliminate_columns(Stream& stream, MatrixView<T> a, int first, int width, T tolerance,
                           EchelonState* state, View<int> pivots, View<int> swaps);
    // F (rank x columns.size) has the columns of A that have no pivot; elements that elimination
    // has left of the rows' pivots count as zero.
    template <class T>
    void gather_free(Stream& stream, MatrixView<const T> a, View<const int> columns,
                     View<const int> pivots, MatrixView<T> f);
    // R = 0, but for ones at pivots and the free columns, which F has.
    template <class T>
    void assemble_reduced(Stream& stream, MatrixView<const T> f, View<const int> columns,
                          View<const int> pivots, MatrixView<T> r);)
