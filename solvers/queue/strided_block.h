// Blocks of a matrix that take every k-th row and column, forwards or backwards.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solvers/dense/matrix.h"

namespace tl {

/// First row and column of a block, and the steps from one to the next, not 0; below 0: backwards.
struct BlockOrigin {
    int row = 0, col = 0, row_step = 1, col_step = 1;

    [[nodiscard]] bool is_dense() const { return row_step == 1 && col_step == 1; }
    /// Whether a block of these numbers of rows and columns, at least 0, lies within a matrix.
    [[nodiscard]] bool fits(int n_rows, int n_cols, int matrix_rows, int matrix_cols) const {
        return is_within(row, row_step, n_rows, matrix_rows) &&
               is_within(col, col_step, n_cols, matrix_cols);
    }

  private:
    static bool is_within(std::int64_t first, std::int64_t step, std::int64_t count,
                          std::int64_t extent) {
        if (count == 0) return first >= 0 && first <= extent;
        std::int64_t last = first + (count - 1) * step;
        return std::min(first, last) >= 0 && std::max(first, last) < extent;
    }
};

}  // namespace tl

TL_FOR_DEVICES(
    // Copies the block of `from` that is as large as `to`.
    template <class T> void copy_from_block(Stream& stream, MatrixView<const T> from,
                                            BlockOrigin origin, MatrixView<T> to);

    // Copies `from` into the block of `to` that is as large as `from`.
    template <class T> void copy_to_block(Stream& stream, MatrixView<const T> from,
                                          BlockOrigin origin, MatrixView<T> to);)
