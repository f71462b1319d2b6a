// Reduced row echelon form (Gauss-Jordan elimination) with a rank tolerance. Forward elimination
// goes by blocks of columns. The elements above the pivots are eliminated once at the end, for all
// columns together, by a triangular solve.
#pragma once

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// The reduced form of an m x n matrix.
template <class T>
struct Rref {
    Matrix<T> r;              ///< m x n; pivot columns are columns of the identity
    std::vector<int> pivots;  ///< the column of each row's pivot, ascending; their number: the rank
    /// The order q of the columns of A whose reduced form R is; empty where they are in order.
    std::vector<int> order;
    double tolerance = 0;  ///< tolerance that was used
    /// Whether no pivot of one PLU factorisation was below the tolerance, so that no column had to
    /// be tested separately.
    bool full_rank = false;
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the total
};

/// Reduces `a`, which is not modified. `mode` eliminates downwards: "blocked", "pairs" or
/// "pairs-geometric", the modes of lu with these names. A matrix with a column that has no pivot is
/// reduced again with the largest pivot of each column, whatever the mode. A column whose elements
/// below the rows of earlier pivots have magnitudes of at most `tolerance` has no pivot; below 0: 8
/// max(m, n) eps times the largest 2-norm of a column. Throws UserError if an element is not finite
/// or memory is insufficient, and Cancelled.
template <class T>
[[nodiscard]] Rref<T> reduce_rows(Stream& stream, MatrixView<const T> a, double tolerance,
                                  SolverRun& run, const std::string& mode = "blocked");

/// The same by complete pivoting: the reduced form of A[:, q], whose pivots are its first columns.
/// Ends where all magnitudes that are left are at most the tolerance. The last `right` columns of A
/// are right sides, which have no pivots and stay where they are: in the rows of pivots they become
/// solutions for the other unknowns zero, and below what is left of them, about 0 where a system
/// has a solution.
template <class T>
[[nodiscard]] Rref<T> reduce_rows_completely(Stream& stream, MatrixView<const T> a, int right,
                                             double tolerance, SolverRun& run);

}  // namespace tl
