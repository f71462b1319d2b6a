// Systems of equations whose matrix is spread over a grid of ranks: forward and backward
// substitution, and the backward error of a solution. Right sides and solutions, few columns, are
// whole in host memory at every rank.
#pragma once

#include "solvers/dense/ranks/rank_grid.h"

namespace tl {

/// X with A X = B from the square factors of factorise_over_ranks() and their swaps. B has the rows
/// of A and is the same at all ranks, as X is. Collective. Pivots must not be zero.
template <class T>
[[nodiscard]] HostMatrix<T> solve_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& lu,
                                             const std::vector<int>& swaps, const HostMatrix<T>& b);

/// A X at all ranks, X having the rows of A's columns. Collective.
template <class T>
[[nodiscard]] HostMatrix<T> product_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                                               const HostMatrix<T>& x);

/// backward_error() of linear.h at all ranks; NaN where norms overflow. Collective.
template <class T>
[[nodiscard]] double backward_error_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                                               const HostMatrix<T>& x, const HostMatrix<T>& b);

}  // namespace tl
