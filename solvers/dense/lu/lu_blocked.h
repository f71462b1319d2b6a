// Right-looking PLU factorisation by blocks of columns with look-ahead: while one stream updates
// the rest of the matrix, another updates and factorises the next panel.
#pragma once

#include <algorithm>
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

    /// Sets the widths that are left open by the number of steps and the bytes of an element: the
    /// fastest that were measured on an H200, narrow panels where panels take most of the time and
    /// wide blocks where products do.
    [[nodiscard]] LuBlocks chosen(int steps, std::size_t element_size) const {
        constexpr int kSmall = 6144, kMiddle = 12288;
        LuBlocks all = *this;
        bool is_narrow = steps <= kSmall || (steps <= kMiddle && element_size == sizeof(double));
        if (all.leaf == 0) all.leaf = is_narrow ? 64 : 128;
        if (all.block == 0) {
            int wide = steps <= kMiddle ? 128 : 2 * all.leaf;
            all.block = steps <= kSmall ? all.leaf : wide;
        }
        all.block = std::max(all.block / all.leaf, 1) * all.leaf;
        return all;
    }
};

}  // namespace tl

TL_FOR_DEVICES(
    // A becomes L (unit diagonal, not stored) and U; swaps[k] is the row that row k was exchanged
    // with before step k. Elements must be finite. `progress` may throw.
    template <class T>
    void factorise_by_blocks(Stream& stream, MatrixView<T> a, View<int> swaps,
                             const LuBlocks& blocks, const std::function<void(double)>& progress);
    // A panel becomes L and U, as a matrix of its own with moves.n_columns columns, at most its
    // rows. Sets its swaps and its moves.
    template <class T>
    void factorise_panel(Blas& blas, MatrixView<T> panel, View<int> swaps, RowMoves moves);
    // B = L^-1 B, L a unit lower triangle, by solve_by_panel() for `leaf` columns and by products.
    template <class T>
    void solve_by_leaves(Blas& blas, MatrixView<const T> l, int leaf, MatrixView<T> b);)
