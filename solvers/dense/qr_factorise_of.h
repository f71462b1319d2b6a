// Blocked Householder QR for any type of number: panels of up to 32 columns, each column one
// launch, then the trailing update by the panel's block reflector. Within a panel, a block has a
// tile of rows. A column's launch applies the previous reflector to the tile and sums the tile's
// part of the dot products for the next reflector. So a tall panel is read once per column. Only
// the files that instantiate it include it.
#pragma once

#include "solvers/dense/block_reflector.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/reflector.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

/// Columns of a panel.
inline constexpr int kQrPanel = 32;
/// Threads that compute the sum of one column together.
inline constexpr int kQrLanes = static_cast<int>(TileBlock::size) >= kQrPanel
                                    ? static_cast<int>(TileBlock::size) / kQrPanel
                                    : 1;
inline constexpr int kQrColumnStep = static_cast<int>(TileBlock::size) / kQrLanes;

template <class T>
struct QrPanelStep {
    struct Shared {
        T with[kQrPanel];  ///< column k - 1 (but its first element) times each column
        T parts[kQrPanel * kQrLanes];
    };
    MatrixView<T> a, r;
    const T* old_products;  ///< kQrPanel per tile
    const T* old_heads;     ///< row k - 1 of the panel
    T* new_products;
    T* new_heads;
    int first, count;  ///< columns of the panel
    int k;             ///< column whose products are computed; k - 1: reflector to apply
    int n_tiles;       ///< counted from row `first`

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        TileRows rows(block, block.index, first, a.rows);
        if (k > 0) {
            add_up(block, shared);
            apply(rows, shared);
            block.sync();
        }
        if (k == count) return;
        // The panel's rows of R are all in the first tile.
        if (block.index == 0)
            for (int l = static_cast<int>(block.rank); l < count; l += static_cast<int>(block.size))
                new_heads[l] = a(first + k, first + l);
        sum_products(block, shared);
    }

    TL_D void add_up(const TileBlock& block, Shared& shared) const {
        int lane = static_cast<int>(block.rank) % kQrLanes;
        for (int l = static_cast<int>(block.rank) / kQrLanes; l < count; l += kQrColumnStep) {
            T sum = 0;
            for (int t = lane; t < n_tiles; t += kQrLanes) sum += old_products[t * kQrPanel + l];
            shared.parts[l * kQrLanes + lane] = sum;
        }
        block.sync();
        for (int l = static_cast<int>(block.rank); l < count; l += static_cast<int>(block.size)) {
            T sum = 0;
            for (int part = 0; part < kQrLanes; ++part) sum += shared.parts[l * kQrLanes + part];
            shared.with[l] = sum;
        }
        block.sync();
    }

    /// Applies the reflector of column k - 1 to the tile; its first row becomes a row of R.
    TL_D void apply(const TileRows& rows, const Shared& shared) const {
        int g = first + k - 1;
        auto h = Reflector<T>::of(old_heads[k - 1], real_part(shared.with[k - 1]));
        T* v = a.col(g) + rows.first;
        TL_FOR_ROWS(q, rows.count)
        if (rows.first + q > g) v[q] *= h.scale;
        for (int l = k; l < count; ++l) {
            T head = old_heads[l];
            T product = (shared.with[l] * conjugate(h.scale) + head) * h.tau;
            T* column = a.col(first + l) + rows.first;
            TL_FOR_ROWS(q, rows.count)
            if (rows.first + q > g) column[q] -= v[q] * product;
            if (rows.count > 0 && rows.first <= g && g < rows.first + rows.count) {
                r(g, first + l) = head - product;
                column[g - rows.first] = 0;
            }
        }
        if (rows.count > 0 && rows.first <= g && g < rows.first + rows.count) {
            r(g, g) = h.beta;
            v[g - rows.first] = h.tau != 0 ? T(1) : T(0);
        }
    }

    /// Dot products over the tile of column k, below its diagonal, with the columns from k on.
    TL_D void sum_products(const TileBlock& block, Shared& shared) const {
        int g = first + k, begin = first + static_cast<int>(block.index) * kTile;
        int end = begin + kTile < a.rows ? begin + kTile : a.rows;
        if (begin < g + 1) begin = g + 1;
        int lane = static_cast<int>(block.rank) % kQrLanes;
        const T* vector = a.col(g);
        for (int l = static_cast<int>(block.rank) / kQrLanes; l < count; l += kQrColumnStep) {
            T sum = 0;
            if (l >= k) sum = dot_product<kQrLanes>(vector, a.col(first + l), begin + lane, end);
            shared.parts[l * kQrLanes + lane] = sum;
        }
        block.sync();
        for (int l = static_cast<int>(block.rank); l < count; l += static_cast<int>(block.size)) {
            T sum = 0;
            for (int part = 0; part < kQrLanes; ++part) sum += shared.parts[l * kQrLanes + part];
            new_products[block.index * kQrPanel + static_cast<std::uint32_t>(l)] = sum;
        }
    }
};

template <class T>
void qr_factorise(Blas& blas, MatrixView<T> a, MatrixView<T> r) {
    Stream& stream = blas.stream();
    int m = a.rows, n = a.cols;
    if (n == 0) return;
    set_zero(stream, r);
    auto max_tiles = static_cast<std::size_t>(tile_count(m));
    DeviceArray<T> work(stream, 2 * kQrPanel * (max_tiles + 1));
    T* products[2] = {work.data(), work.data() + kQrPanel * max_tiles};
    T* heads[2] = {products[1] + kQrPanel * max_tiles, products[1] + kQrPanel * (max_tiles + 1)};
    for (int first = 0; first < n; first += kQrPanel) {
        int count = n - first < kQrPanel ? n - first : kQrPanel;
        auto n_tiles = tile_count(m - first);
        for (int k = 0; k <= count; ++k)
            launch_blocks<kTile>(
                stream, "QR column", n_tiles,
                QrPanelStep<T>{a, r, products[k % 2], heads[k % 2], products[1 - k % 2],
                               heads[1 - k % 2], first, count, k, static_cast<int>(n_tiles)});
        int next = first + count;
        if (next >= n) break;
        apply_reflectors<T>(blas, Transpose::yes, a.block(first, first, m - first, count),
                            a.block(first, next, m - first, n - next), count);
        auto rows_of_r = a.block(first, next, count, n - next);
        copy_matrix<T>(stream, rows_of_r, r.block(first, next, count, n - next));
        set_zero(stream, rows_of_r);
    }
}

template <class T>
void orthonormalise(Blas& blas, MatrixView<T> a) {
    Stream& stream = blas.stream();
    Matrix<T> reflectors(stream, a.rows, a.cols), triangle(stream, a.cols, a.cols);
    copy_matrix<T>(stream, a, reflectors.view());
    qr_factorise(blas, reflectors.view(), triangle.view());
    set_identity(stream, a);
    apply_reflectors<T>(blas, Transpose::no, reflectors.view(), a, 64);
}

TL_DEVICE_END
