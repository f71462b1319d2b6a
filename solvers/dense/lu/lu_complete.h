// Elimination with complete pivoting: before each step the largest element of what is left comes to
// the diagonal, by an exchange of rows and one of columns. Every step reads and writes all of what
// is left, so that memory bounds the speed.
#pragma once

#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Before step k row k was exchanged with row rows[k], and column k with column columns[k].
struct Exchanges {
    std::vector<int> rows, columns;
    int rank = 0;  ///< steps that had a pivot; later exchanges are none
};

/// A becomes L (unit diagonal, not stored) and U of A[p][:, q]. Only the first `searched` columns
/// may have pivots; the others are eliminated with them. Ends where all magnitudes that are left
/// in those columns are at most `tolerance`. Elements must be finite. Throws Cancelled.
template <class T>
[[nodiscard]] Exchanges eliminate_completely(Stream& stream, MatrixView<T> a, int searched,
                                             double tolerance, SolverRun& run);

}  // namespace tl

TL_FOR_DEVICES(
    // The steps of it. The arrays have an element for each; steps without a pivot set none.
    // Returns the rank.
    template <class T> int complete_steps(Stream& stream, MatrixView<T> a, int searched,
                                          T tolerance, View<int> rows, View<int> columns,
                                          SolverRun& run);)
