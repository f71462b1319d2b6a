// Device part of divide and conquer: processes all joins of a level at once. Indices refer to the
// whole matrix; the entries of a join in every array start at its first row.
#pragma once

#include "solvers/dense/matrix.h"

namespace tl {

/// A leaf's vectors in the packed upload: U (rows x rows), then V (cols x cols).
struct LeafBlock {
    int row, rows, cols;
    std::size_t offset;
};

/// One join of a level.
struct Merge {
    int row;    ///< first row
    int count;  ///< K: poles
};

/// A rotation of columns a and b: (a, b) becomes (c a + s b, c b - s a).
struct ColumnRotation {
    int a, b;
    double c, s;
};

/// Rows of U or V that one block rotates, by the rotations [begin, end).
struct RotationTile {
    int is_v;
    int row, count;
    int begin, end;
};

/// A root of the secular equation, as the distance from a pole: poles[origin] + offset.
struct SecularRoot {
    int origin;  ///< counted from the join's first pole
    double offset;
};

/// The arrays of a level.
struct SecularProblem {
    View<const Merge> merges;
    View<const int> owner;  ///< join to which an index belongs, or -1
    View<const double> poles;
    View<const double> weights;  ///< z
    View<const int> place;
    View<SecularRoot> roots;
    View<double> values;       ///< the roots as singular values
    View<double> new_weights;  ///< recomputed z, for which the roots are exact
};

}  // namespace tl

TL_FOR_DEVICES(
    template <class T> void place_leaves(Stream& stream, View<const LeafBlock> leaves,
                                         View<const T> packed, MatrixView<T> u, MatrixView<T> v);
    // out[t] = V(rows[t], t).
    template <class T> void gather_entries(Stream& stream, MatrixView<const T> v,
                                           View<const int> rows, View<double> out);
    template <class T>
    void rotate_columns(Stream& stream, MatrixView<T> u, MatrixView<T> v,
                        View<const RotationTile> tiles, View<const ColumnRotation> rotations);
    // Computes the roots, then the new weights.
    void solve_secular(Stream& stream, const SecularProblem& problem);
    // Column i of a join's block of q: the left or the right vector of the small problem.
    template <class T> void secular_vectors(Stream& stream, const SecularProblem& problem,
                                            bool right, MatrixView<T> q);
    // Copies the columns of `from` whose flag is set to `to`.
    template <class T> void copy_flagged_columns(Stream& stream, MatrixView<const T> from,
                                                 View<const int> flags, MatrixView<T> to);)
