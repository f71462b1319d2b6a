// The row exchanges of a panel of columns in one pass: the source of each row, instead of exchanges
// one after the other. A matrix's columns apply them, and the triangular solve that follows, while
// the rows are in registers.
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// The moves of panels of `leaf` columns, in device memory. A panel of w columns that begins at
/// `first` has 2 w of them: row from_of(first)[e] goes to row to_of(first)[e], none where that is
/// below 0. The first w are the rows first, first + 1, ...
struct RowMoves {
    int* data = nullptr;  ///< 4 ints for each column
    int leaf = 1, n_columns = 0;

    [[nodiscard]] TL_HD int width(int first) const {
        return n_columns - first < leaf ? n_columns - first : leaf;
    }
    [[nodiscard]] TL_HD int* to_of(int first) const { return data + std::size_t(4) * first; }
    [[nodiscard]] TL_HD int* from_of(int first) const {
        return to_of(first) + std::size_t(2) * width(first);
    }
};

/// Columns of a matrix to which the moves of panels are applied: [0, n_left) and [right, right +
/// n_right). The latter are also multiplied by the inverse of the panel's unit lower triangle if
/// there is only one panel and `solves`.
struct MovedColumns {
    int n_left = 0, right = 0, n_right = 0;
    bool solves = false;
};

/// Largest number of columns of a panel.
inline constexpr int kMostLeaf = 128;

}  // namespace tl

TL_FOR_DEVICES(
    // The moves that are the same as exchanging rows k and swaps[k] for each k of the panel.
    void moves_of_swaps(Stream& stream, View<const int> swaps, RowMoves moves, int first);
    // Rows of A move by the panels of [first, first + width).
    template <class T> void move_rows(Stream& stream, MatrixView<T> a, RowMoves moves, int first,
                                      int width, MovedColumns columns);
    // B = L^-1 B, L the unit lower triangle of a panel, of at most kMostLeaf rows.
    template <class T> void solve_by_panel(Stream& stream, MatrixView<const T> l, MatrixView<T> b);)
