// A panel of the PLU factorisation in one launch of a cluster of blocks, on GPUs of compute
// capability 9.0 or more.
#pragma once

#include "solvers/dense/lu/row_moves.h"

namespace tl::cuda {

/// Factorises the panel of `moves` at column `first` of A, below row `first`: moves its rows, sets
/// its swaps and its moves. Returns false, having done nothing, where the GPU has no clusters or
/// the panel too many rows.
template <class T>
[[nodiscard]] bool factorise_in_cluster(Stream& stream, MatrixView<T> a, View<int> swaps,
                                        RowMoves moves, int first);

}  // namespace tl::cuda
