// Matrices spread over a grid of ranks in blocks, cyclically in both directions (ScaLAPACK's
// layout; Brodtkorb 2007, figure A.1b): block (i, j) is at rank (i mod rows, j mod columns).
#pragma once

#include "core/ranks/ranks.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Indices of a matrix in one direction, `block` at a time, cyclically to `parts` ranks. `extent`,
/// `block` and `parts` are positive.
struct CyclicAxis {
    int extent = 0, block = 1, parts = 1;
    int part = 0;  ///< this rank's

    /// The part that has a global index.
    [[nodiscard]] int owner(int global) const { return global / block % parts; }
    [[nodiscard]] bool owns(int global) const { return owner(global) == part; }
    /// Number of own indices below a global one; its local index, where it is owned.
    [[nodiscard]] int count_before(int global) const {
        int n_blocks = global / block;
        int own_blocks = n_blocks / parts + (n_blocks % parts > part ? 1 : 0);
        return own_blocks * block + (n_blocks % parts == part ? global % block : 0);
    }
    [[nodiscard]] int count() const { return count_before(extent); }
    [[nodiscard]] int global(int local) const {
        return (local / block * parts + part) * block + local % block;
    }
};

/// The rows of a host matrix whose indices belong to a part, on its device.
template <class T>
Matrix<T> own_rows(Stream& stream, const CyclicAxis& axis, const HostMatrix<T>& whole) {
    HostMatrix<T> own(axis.count(), whole.cols);
    for (int j = 0; j < own.cols; ++j)
        for (int i = 0; i < own.rows; ++i) own(i, j) = whole(axis.global(i), j);
    Matrix<T> on_device(stream, own.rows, own.cols);
    on_device.upload(stream, own.data);
    return on_device;
}

/// Ranks as the rows and columns of a grid: rank r is in row r / columns.
struct RankGrid {
    RankGroup all;
    RankGroup in_row;     ///< ranks of this one's row, by column
    RankGroup in_column;  ///< ranks of this one's column, by row

    [[nodiscard]] int rows() const { return in_column.size(); }
    [[nodiscard]] int cols() const { return in_row.size(); }
    [[nodiscard]] int row() const { return in_column.rank(); }
    [[nodiscard]] int col() const { return in_row.rank(); }
};
/// Collective. Throws UsageError unless there are rows * cols ranks.
[[nodiscard]] RankGrid make_rank_grid(RankGroup& all, int rows, int cols);

/// The part of a matrix that one rank of a grid has, on its device.
template <class T>
struct CyclicMatrix {
    CyclicAxis rows, cols;
    Matrix<T> local;  ///< rows.count() x cols.count()

    CyclicMatrix() = default;
    /// Elements are uninitialised. Blocks are `block` x `block`.
    CyclicMatrix(Stream& stream, const RankGrid& grid, int n_rows, int n_cols, int block)
        : rows{n_rows, block, grid.rows(), grid.row()},
          cols{n_cols, block, grid.cols(), grid.col()},
          local(stream, rows.count(), cols.count()) {}

    /// Columns of the local part with global indices in [first, end).
    [[nodiscard]] MatrixView<T> columns(int first, int end) {
        int begin = cols.count_before(first);
        return local.view().columns(begin, cols.count_before(end) - begin);
    }
};

}  // namespace tl
