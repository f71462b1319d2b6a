// The bidiagonalisation for any type of number. Processes panel after panel: four launches of the
// panel's kernels per column, and one update of the trailing matrix per panel. Only the files that
// instantiate it include it.
#pragma once

#include "solvers/svd/bidiagonalise.h"

#include "core/device/steps_in_flight.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/svd/bidiagonal_panel.h"

TL_DEVICE_BEGIN

template <class T>
void column_products(Stream& stream, const char* name, MatrixView<const T> m0,
                     MatrixView<const T> m1, MatrixView<const T> m2, const T* vector, T* out) {
    ColumnProducts<T> op{};
    op.vector = vector;
    op.out = out;
    int n_blocks = 0, k = 0;
    for (auto& m : {m0, m1, m2}) {
        int blocks = (m.cols + kDotColumns - 1) / kDotColumns;
        op.parts[k++] = {m, blocks};
        n_blocks += blocks;
    }
    launch_blocks<kDotThreads>(stream, name, static_cast<std::uint32_t>(n_blocks), op);
}

template <class T>
void reduce_column(Stream& stream, const Panel<T>& panel, int g, int k, bool has_next) {
    int m = panel.a.rows, n = panel.a.cols;
    bool has_row = g + 1 < n;
    if (has_row) {
        // Row g is omitted: reflectors have a 1 there, which is corrected for later.
        column_products<T>(
            stream, "products with a column", panel.a.block(g + 1, g + 1, m - g - 1, n - g - 1),
            panel.v.block(g + 1, 0, m - g - 1, k), panel.x.block(g + 1, 0, m - g - 1, k),
            panel.v.col(k) + g + 1, panel.column_dots);
    }
    launch_blocks<kTile>(
        stream, "next row", tile_count(n - g),
        UpdateRow<T>{panel, g, k, static_cast<int>(tile_count(m - (k == 0 ? g : g - 1)))});
    int n_chunks = 0;
    if (has_row) {
        int chunk = chunk_size(n - g - 2);
        n_chunks = (n - g - 2 + chunk - 1) / chunk;
        auto n_tiles = static_cast<int>(tile_count(m - g - 1));
        launch_blocks<kTile>(stream, "products with a row",
                             static_cast<std::uint32_t>(n_tiles * n_chunks + 2 * k + 1),
                             RowProducts<T>{panel, g, k, n_tiles, n_chunks, chunk});
    }
    launch_blocks<kTile>(stream, "next column", tile_count(m - g),
                         UpdateColumn<T>{panel, g, k, static_cast<int>(tile_count(n - g)), n_chunks,
                                         has_row, has_next});
}

template <class T>
bool bidiagonalise(Blas& blas, MatrixView<T> a, MatrixView<T> p, View<T> d, View<T> e, int block,
                   const Progress& progress) {
    Stream& stream = blas.stream();
    int m = a.rows, n = a.cols;
    block = block < 1 ? 1 : block > kMaxBlock ? kMaxBlock : block;
    if (block > n) block = n;
    if (n == 0) return true;
    Matrix<T> vx(stream, m, 2 * block), yu(stream, n, 2 * block);
    vx.fill_zero(stream);
    yu.fill_zero(stream);
    std::size_t n_chunks = kChunks + static_cast<std::size_t>(n) / kMaxChunk;
    std::size_t m_tiles = tile_count(m), n_tiles = tile_count(n);
    DeviceArray<T> work(stream,
                        n + 2 * kMaxBlock + 2 * kMaxBlock + 1 + n_chunks * m + 4 * kMaxBlock);
    DeviceArray<RealOf<T>> squares(stream, m_tiles + n_tiles);
    Panel<T> panel{};
    panel.a = a;
    panel.p = p;
    panel.v = vx.view().columns(0, block);
    panel.x = vx.view().columns(block, block);
    panel.y = yu.view().columns(0, block);
    panel.u = yu.view().columns(block, block);
    panel.column_dots = work.data();
    panel.row_dots = panel.column_dots + n + 2 * kMaxBlock;
    panel.row_products = panel.row_dots + 2 * kMaxBlock + 1;
    panel.scalars = panel.row_products + n_chunks * m;
    panel.column_squares = squares.data();
    panel.row_squares = panel.column_squares + m_tiles;
    panel.d = d.data;
    panel.e = e.data;
    stream.device().fill_zero(stream, p.data, static_cast<std::size_t>(p.stride) * n * sizeof(T));

    // A panel needs some hundred launches; a stream's queue holds about a thousand.
    StepsInFlight panels(2);
    for (int first = 0; first < n; first += block) {
        if (progress && !progress(first, n)) return false;
        int count = n - first < block ? n - first : block;
        panel.first = first;
        launch_blocks<kTile>(stream, "start panel", tile_count(m - first), StartPanel<T>{panel});
        for (int k = 0; k < count; ++k) reduce_column(stream, panel, first + k, k, k + 1 < count);
        int next = first + count;
        if (next >= n) break;
        launch_blocks<kTile>(stream, "finish panel", tile_count(n - next),
                             FinishPanel<T>{panel, next - 1, count - 1});
        // A - [V X] [Y U]^H, in one product.
        blas.gemm(Transpose::no, Transpose::yes, T(-1),
                  vx.view().block(next, 0, m - next, 2 * block),
                  yu.view().block(next, 0, n - next, 2 * block), T(1),
                  a.block(next, next, m - next, n - next));
        panels.end_step(stream);
    }
    // Elements above the reflectors in A are not needed.
    zero_above_diagonal(stream, a);
    return true;
}

TL_DEVICE_END
