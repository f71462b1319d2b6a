// A panel of the PLU factorisation column by column, two launches each: on any device, for any
// number of rows. Also the panel of Brodtkorb 2007 (section 4.1.2), whose pivots are pairs of rows.
#pragma once

#include "solvers/dense/lu/row_moves.h"

namespace tl {

/// Pivoting strategy.
enum class Pivoting {
    partial,  ///< the largest element of the column
    /// Two pivot rows for two columns: the pair of neighbouring rows with the largest harmonic sum
    /// of its two pivots. If no pair has two pivots, as `partial`.
    pairs,
    geometric_pairs,  ///< the same with the largest product of the two pivots
};
/// Whether two pivots are chosen for two columns.
[[nodiscard]] TL_HD constexpr bool chooses_pairs(Pivoting pivoting) {
    return pivoting != Pivoting::partial;
}

}  // namespace tl

TL_FOR_DEVICES(
    // Factorises the columns [first, first + width) of A below row `first`: moves their rows and
    // sets swaps[first...]. `first` is even for pairs, which complex matrices do not have.
    template <class T> void factorise_by_steps(Stream& stream, MatrixView<T> a, int first,
                                               int width, Pivoting pivoting, View<int> swaps);)
