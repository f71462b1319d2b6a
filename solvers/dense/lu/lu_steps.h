// A panel of the PLU factorisation column by column, two launches each: on any device, for any
// number of rows. Also the panel of Brodtkorb 2007 (section 4.1.2), whose pivots are pairs of rows.
#pragma once

#include "solvers/dense/lu/row_moves.h"

namespace tl {

/// How the row is chosen that a column is eliminated with.
enum class Pivoting {
    partial,  ///< the largest element of the column
    /// Two rows for two columns: of the pairs of neighbouring rows, that with the largest harmonic
    /// sum of the two pivots. Where no pair has two pivots, as `partial`.
    pairs,
};

}  // namespace tl

TL_FOR_DEVICES(
    // Factorises the columns [first, first + width) of A below row `first`: moves their rows and
    // sets swaps[first...]. `first` is even for pairs.
    template <class T> void factorise_by_steps(Stream& stream, MatrixView<T> a, int first,
                                               int width, Pivoting pivoting, View<int> swaps);)
