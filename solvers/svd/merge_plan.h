// Host part of divide and conquer: the tree of joins, and the deflation of each join.
#pragma once

#include <span>
#include <vector>

#include "solvers/svd/merge_kernels.h"

namespace tl {

/// A part of the bidiagonal matrix: rows [row, row + rows), columns [row, row + cols), where cols
/// is rows for the last part and rows + 1 for all others. A part that is not a leaf has two
/// children, joined by the row `middle`.
struct Part {
    int row = 0, rows = 0, cols = 0;
    int middle = 0;
    int left = -1, right = -1;  ///< children, or -1
    int level = 0;              ///< 0: the whole matrix
};

/// Halves the matrix until parts have at most `leaf_size` rows; children follow their parents.
[[nodiscard]] std::vector<Part> split_bidiagonal(int n, int leaf_size);

/// The plan of joining a part's children. Singular triplets are numbered by their columns of U and
/// V; the pole at zero has the number of the middle row. All arrays belong to the whole matrix and
/// are indexed from the part's first row on.
struct MergePlan {
    int count = 0;         ///< K: remaining poles, including the one at zero
    int n_top = 0;         ///< number of the K reordered columns that reach the top rows
    int first_bottom = 0;  ///< the first column that reaches the bottom rows
    std::vector<ColumnRotation> rotations;  ///< rotations of U and V, in this order
    bool has_null = false;
    ColumnRotation null_rotation{};  ///< rotation of V alone, before the others
};

/// The arrays of a level's plans, with as many entries as the matrix has columns.
struct MergeArrays {
    std::span<double> values;   ///< in: the children's; out: the deflated ones, at the end
    std::span<const double> z;  ///< last row of the left V, first row of the right V
    std::span<double> poles;    ///< out: K poles, ascending from 0
    std::span<double> weights;  ///< out: z of the poles
    std::span<int> place;       ///< out: row of the small vectors for a pole
    std::span<int> order;       ///< out: the column for each new position
};

/// Plans the join of the children of `part` by alpha (diagonal) and beta (superdiagonal) of the
/// middle row. `epsilon` is the precision of the vectors.
[[nodiscard]] MergePlan plan_merge(const Part& part, double alpha, double beta, double epsilon,
                                   const MergeArrays& arrays);

}  // namespace tl
