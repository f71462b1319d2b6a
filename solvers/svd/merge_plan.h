// The host's part of divide and conquer: which halves join, and what of a join can be left out.
#pragma once

#include <span>
#include <vector>

namespace tl {

/// A part of the bidiagonal matrix: rows [row, row + rows), columns [row, row + cols), cols being
/// rows or, but for the part at the end, rows + 1. A part that is not a leaf has two children,
/// which are joined by the row `middle`.
struct Part {
    int row = 0, rows = 0, cols = 0;
    int middle = 0;
    int left = -1, right = -1;  ///< children, or -1
    int level = 0;              ///< 0: the whole matrix
};

/// Halves until parts have at most `leaf_size` rows; children come after their parents.
[[nodiscard]] std::vector<Part> split_bidiagonal(int n, int leaf_size);

/// A rotation of two columns: (a, b) becomes (c a + s b, c b - s a).
struct ColumnRotation {
    int a, b;
    double c, s;
};

/// What the join of a part's children comes to. Singular triplets are numbered by their columns of
/// U and V; the pole at zero has the number of the middle row. All arrays are of the whole matrix
/// and indexed from the part's first row on.
struct MergePlan {
    int count = 0;         ///< K: poles that are left, the one at zero among them
    int n_top = 0;         ///< of the K columns in their new order, those that reach the top rows
    int first_bottom = 0;  ///< the first of those that reach the bottom rows
    std::vector<ColumnRotation> rotations;  ///< of U and V, in this order
    bool has_null = false;
    ColumnRotation null_rotation{};  ///< of V alone, before the others
};

/// The arrays that a level's plans write, as long as the matrix.
struct MergeArrays {
    std::span<double> values;   ///< in: the children's; out: those that are left out, at the end
    std::span<const double> z;  ///< last row of the left V, first row of the right V
    std::span<double> poles;    ///< out: K poles, growing from 0
    std::span<double> weights;  ///< out: z of the poles
    std::span<int> place;       ///< out: row of the small vectors that belongs to a pole
    std::span<int> order;       ///< out: the column that comes to a place
};

/// Joins the children of `part` by alpha (diagonal) and beta (superdiagonal) of the middle row.
/// `epsilon` is the precision of the vectors.
[[nodiscard]] MergePlan plan_merge(const Part& part, double alpha, double beta, double epsilon,
                                   const MergeArrays& arrays);

}  // namespace tl
