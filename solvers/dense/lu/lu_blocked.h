// Right-looking PLU factorisation by blocks of columns with look-ahead: while one stream updates
// the rest of the matrix, another updates and factorises the next panel.
#pragma once

#include <functional>

#include "solvers/dense/blas.h"
#include "solvers/dense/lu/lu_steps.h"

namespace tl {

struct LuBlocks {
    int leaf = 0;   ///< columns that a panel's own kernel factorises, at most kMostLeaf; 0: by size
    int block = 0;  ///< columns per update, a multiple of `leaf`; 0: by size
    bool look_ahead = true;
    Pivoting pivoting = Pivoting::partial;
    bool tf32 = false;  ///< see Blas::allow_tf32
};

}  // namespace tl

TL_FOR_DEVICES(
    // A becomes L (unit diagonal, not stored) and U; swaps[k] is the row that row k was exchanged
    // with before step k. Elements must be finite. `progress` may throw.
    template <class T> void factorise_by_blocks(Stream& stream, MatrixView<T> a, View<int> swaps,
                                                const LuBlocks& blocks,
                                                const std::function<void(double)>& progress);)
