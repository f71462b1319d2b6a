// The kernels of a bidiagonalisation's panel. V and U hold the reflectors of columns and rows; with
// X and Y, the trailing matrix is A - V Y^H - X U^H. Y, U and rows of A are kept as columns, which
// conjugates them where numbers are complex. Differences from LAPACK's labrd: products use
// unscaled vectors and are corrected on use, so that a reflector's scalars need no pass of their
// own; and one kernel updates rows (the new column of X, the next column of A), another columns
// (the new column of Y, the next row of A). Only files compiled for a device include it.
#pragma once

#include "solvers/dense/matrix.h"
#include "solvers/dense/reflector.h"
#include "solvers/dense/tiles.h"

TL_DEVICE_BEGIN

/// Maximum number of columns of a panel.
inline constexpr int kMaxBlock = 64;
/// Columns that a block multiplies with a vector in one pass, and threads of that block.
inline constexpr int kDotColumns = 4;
inline constexpr int kDotThreads = 128;
/// The product A u is summed in this many parts, so that there are enough blocks, ...
inline constexpr int kChunks = 32;
/// ... of at least kMinChunk and at most kMaxChunk columns.
inline constexpr int kMinChunk = 32, kMaxChunk = 1024;

/// Columns of a part of a product with n columns.
inline int chunk_size(int n) {
    int size = ((n + kChunks - 1) / kChunks + 7) / 8 * 8;
    return size < kMinChunk ? kMinChunk : size > kMaxChunk ? kMaxChunk : size;
}

/// Memory of a panel that starts at column `first`; row and column indices are those of A.
template <class T>
struct Panel {
    MatrixView<T> a, p;
    MatrixView<T> v, x;         ///< m x block
    MatrixView<T> y, u;         ///< n x block
    T* column_dots;             ///< dot products of A's columns, V's, X's with the column
    T* row_dots;                ///< dot products of Y's columns, then U's, with the row
    T* row_products;            ///< m per chunk: parts of A u
    RealOf<T>* column_squares;  ///< one per tile: sum of squares below the column's first element
    RealOf<T>* row_squares;
    T* scalars;  ///< tau and scale of column reflectors (0, 1) and of row reflectors (2, 3), each
    T* d;
    T* e;
    int first;  ///< column

    [[nodiscard]] TL_HD T& scalar(int which, int k) const { return scalars[which * kMaxBlock + k]; }
};

/// Copies the panel's first column from A and sums its squares.
template <class T>
struct StartPanel {
    struct Shared {
        BlockSum<RealOf<T>> sum;
    };
    Panel<T> panel;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        int g = panel.first;
        TileRows rows(block, block.index, g, panel.a.rows);
        RealOf<T> squares = 0;
        TL_FOR_ROWS(q, rows.count) {
            int i = rows.first + q;
            T value = panel.a(i, g);
            panel.v(i, 0) = value;
            if (i > g) squares += squared_magnitude(value);
        }
        squares = block_sum(block, shared.sum, squares);
        if (block.rank == 0) panel.column_squares[block.index] = squares;
    }
};

/// Dot products of the columns of up to three matrices with one vector, kDotColumns per block.
template <class T>
struct ColumnProducts {
    struct Shared {
        BlockSum<T> sum;
    };
    struct Part {
        MatrixView<const T> matrix;
        int blocks;  ///< number of blocks for it
    };
    Part parts[3];
    const T* vector;
    T* out;

    TL_D void operator()(const Block<kDotThreads>& block, Shared& shared) const {
        int index = static_cast<int>(block.index), offset = 0;
        // Selected by value and with constant indices, so that `parts` stays out of local memory.
        Part part = parts[0];
        if (index >= part.blocks) {
            index -= part.blocks;
            offset += part.matrix.cols;
            part = parts[1];
            if (index >= part.blocks) {
                index -= part.blocks;
                offset += part.matrix.cols;
                part = parts[2];
            }
        }
        MatrixView<const T> matrix = part.matrix;
        int first = index * kDotColumns;
        int n = matrix.rows;
        if (first + kDotColumns <= matrix.cols) {
            T s[kDotColumns];
            multiply(block, matrix.columns(first, kDotColumns), s);
            T s0 = block_sum(block, shared.sum, s[0]);
            T s1 = block_sum(block, shared.sum, s[1]);
            T s2 = block_sum(block, shared.sum, s[2]);
            T s3 = block_sum(block, shared.sum, s[3]);
            if (block.rank == 0) {
                T* to = out + offset + first;
                to[0] = s0;
                to[1] = s1;
                to[2] = s2;
                to[3] = s3;
            }
            return;
        }
        for (int j = first; j < matrix.cols; ++j) {
            T s = block_dot(block, shared.sum, matrix.col(j), vector, n);
            if (block.rank == 0) out[offset + j] = s;
        }
    }

    /// The thread's part of the products of kDotColumns columns with the vector.
    TL_D void multiply(const Block<kDotThreads>& block, MatrixView<const T> columns,
                       T* sums) const {
        constexpr int kStep = static_cast<int>(Block<kDotThreads>::size);
        int n = columns.rows, begin = static_cast<int>(block.rank);
        if constexpr (kIsComplex<T> && kStep == 1) {
            for (int j = 0; j < kDotColumns; ++j)
                sums[j] = dot_product<kStep>(columns.col(j), vector, begin, n);
        } else {
            const T* c0 = columns.col(0);
            const T* c1 = columns.col(1);
            const T* c2 = columns.col(2);
            const T* c3 = columns.col(3);
            T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#if !defined(__CUDACC__)
#pragma omp simd reduction(+ : s0, s1, s2, s3)
#endif
            for (int i = begin; i < n; i += kStep) {
                T x = vector[i];
                s0 += conjugate(c0[i]) * x;
                s1 += conjugate(c1[i]) * x;
                s2 += conjugate(c2[i]) * x;
                s3 += conjugate(c3[i]) * x;
            }
            sums[0] = s0;
            sums[1] = s1;
            sums[2] = s2;
            sums[3] = s3;
        }
    }
};

/// Parts of A(g+1.., g+2..) r, `chunk` columns each, for the row r of column g; block indices run
/// over tiles of rows first. The last blocks multiply r with one column of Y or U each.
template <class T>
struct RowProducts {
    struct Shared {
        BlockSum<T> sum;
        T r[kMaxChunk];
    };
    Panel<T> panel;
    int g, k;
    int n_tiles, n_chunks, chunk;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        auto& a = panel.a;
        int tile = static_cast<int>(block.index) % n_tiles;
        int part = static_cast<int>(block.index) / n_tiles;
        if (part >= n_chunks) {
            multiply_column(block, shared, static_cast<int>(block.index) - n_chunks * n_tiles);
            return;
        }
        int first = g + 2 + part * chunk;
        int count = a.cols - first < chunk ? a.cols - first : chunk;
        for (int j = static_cast<int>(block.rank); j < count; j += static_cast<int>(block.size))
            shared.r[j] = panel.u(first + j, k);
        block.sync();
        TileRows rows(block, static_cast<std::uint32_t>(tile), g + 1, a.rows);
        if (rows.count == 0) return;
        T sums[kRowsPerThread];
        TL_FOR_ROWS(q, rows.count) sums[q] = 0;
        const T* column = a.col(first) + rows.first;
        int j = 0;
        for (; j + 8 <= count; j += 8) {
            const T* c = column + static_cast<std::size_t>(j) * a.stride;
            TL_FOR_ROWS(q, rows.count) {
                T s = 0;
#pragma unroll
                for (int l = 0; l < 8; ++l)
                    s += c[q + static_cast<std::size_t>(l) * a.stride] * shared.r[j + l];
                sums[q] += s;
            }
        }
        for (; j < count; ++j) {
            const T* c = column + static_cast<std::size_t>(j) * a.stride;
            TL_FOR_ROWS(q, rows.count) sums[q] += c[q] * shared.r[j];
        }
        T* out = panel.row_products + static_cast<std::size_t>(part) * a.rows + rows.first;
        TL_FOR_ROWS(q, rows.count) out[q] = sums[q];
    }

    TL_D void multiply_column(const TileBlock& block, Shared& shared, int l) const {
        const T* column = (l <= k ? panel.y.col(l) : panel.u.col(l - k - 1)) + g + 2;
        T sum = block_dot(block, shared.sum, column, panel.u.col(k) + g + 2, panel.a.cols - g - 2);
        if (block.rank == 0) panel.row_dots[l] = sum;
    }
};

/// Computes, for every column j of the trailing matrix, the new element of Y, the element of row g,
/// and the squares of the row. Also scales the row reflector of the previous column.
template <class T>
struct UpdateRow {
    struct Shared {
        BlockSum<RealOf<T>> sum;
        T with_y[kMaxBlock], with_u[kMaxBlock];  // V^H v and X^H v
        T row_of_v[kMaxBlock], row_of_x[kMaxBlock];
    };
    Panel<T> panel;
    int g, k;
    int n_squares;  ///< parts of the column's sum of squares

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        auto squares = block_sum_of(block, shared.sum, panel.column_squares, n_squares);
        auto h = Reflector<T>::of(panel.v(g, k), squares);
        if (block.index == 0 && block.rank == 0) {
            panel.d[g] = h.beta;
            panel.scalar(0, k) = T(h.tau);
            panel.scalar(1, k) = h.scale;
        }
        int n_dots = panel.a.cols - g - 1;
        for (int l = static_cast<int>(block.rank); l < k; l += static_cast<int>(block.size)) {
            T of_v = conjugate(panel.v(g, l)), of_x = conjugate(panel.x(g, l));
            shared.row_of_v[l] = of_v;
            shared.row_of_x[l] = of_x;
            shared.with_y[l] = panel.column_dots[n_dots + l] * h.scale + of_v;
            shared.with_u[l] = panel.column_dots[n_dots + k + l] * h.scale + of_x;
        }
        block.sync();
        TileRows rows(block, block.index, g, panel.a.cols);
        if (k > 0) scale_last_row(rows);
        // For column g itself, only the row reflector is scaled.
        if (rows.count > 0 && rows.first == g) {
            ++rows.first;
            --rows.count;
        }
        T y[kRowsPerThread], r[kRowsPerThread];
        TL_FOR_ROWS(q, rows.count) y[q] = r[q] = 0;
#pragma unroll 4
        for (int l = 0; l < k; ++l) {
            const T* y_l = panel.y.col(l) + rows.first;
            const T* u_l = panel.u.col(l) + rows.first;
            T with_y = shared.with_y[l], with_u = shared.with_u[l];
            T of_v = shared.row_of_v[l], of_x = shared.row_of_x[l];
            TL_FOR_ROWS(q, rows.count) {
                y[q] += y_l[q] * with_y + u_l[q] * with_u;
                r[q] += y_l[q] * of_v + u_l[q] * of_x;
            }
        }
        RealOf<T> row_squares = 0;
        TL_FOR_ROWS(q, rows.count) {
            int j = rows.first + q;
            T element = conjugate(panel.a(g, j));
            T product = panel.column_dots[j - g - 1] * h.scale + element;
            T new_y = (product - y[q]) * h.tau;
            T new_r = element - r[q] - new_y;
            panel.y(j, k) = new_y;
            panel.u(j, k) = new_r;
            if (j > g + 1) row_squares += squared_magnitude(new_r);
        }
        row_squares = block_sum(block, shared.sum, row_squares);
        if (block.rank == 0) panel.row_squares[block.index] = row_squares;
    }

    TL_D void scale_last_row(const TileRows& rows) const {
        T scale = panel.scalar(3, k - 1), unit = panel.scalar(2, k - 1) != T(0) ? T(1) : T(0);
        TL_FOR_ROWS(q, rows.count) {
            int j = rows.first + q;
            T value = j == g ? unit : panel.u(j, k - 1) * scale;
            panel.u(j, k - 1) = value;
            panel.p(j, g - 1) = value;
        }
    }
};

/// Computes, for every row i of the trailing matrix, the new element of X, the element of the
/// panel's next column, and that column's squares. Also scales the column reflector.
template <class T>
struct UpdateColumn {
    struct Shared {
        BlockSum<RealOf<T>> sum;
        T with_v[kMaxBlock + 1], with_x[kMaxBlock];  // Y^H u and U^H u
        T row_of_y[kMaxBlock + 1], row_of_u[kMaxBlock];
    };
    Panel<T> panel;
    int g, k;
    int n_squares;  ///< parts of the row's sum of squares
    int n_chunks;
    bool has_row, has_next;

    TL_D void operator()(const TileBlock& block, Shared& shared) const {
        Reflector<T> h{T(0), RealOf<T>(0), T(0)};
        if (has_row) {
            auto squares = block_sum_of(block, shared.sum, panel.row_squares, n_squares);
            h = Reflector<T>::of(panel.u(g + 1, k), squares);
            for (int l = static_cast<int>(block.rank); l <= k; l += static_cast<int>(block.size)) {
                T of_y = conjugate(panel.y(g + 1, l));
                shared.row_of_y[l] = of_y;
                shared.with_v[l] = panel.row_dots[l] * h.scale + of_y;
                if (l == k) continue;
                T of_u = conjugate(panel.u(g + 1, l));
                shared.row_of_u[l] = of_u;
                shared.with_x[l] = panel.row_dots[k + 1 + l] * h.scale + of_u;
            }
            block.sync();
        }
        if (block.index == 0 && block.rank == 0) {
            panel.e[g] = conjugate(h.beta);
            panel.scalar(2, k) = T(h.tau);
            panel.scalar(3, k) = h.scale;
        }
        TileRows rows(block, block.index, g, panel.a.rows);
        scale_column(rows);
        if (rows.count > 0 && rows.first == g) {
            ++rows.first;
            --rows.count;
        }
        RealOf<T> squares = has_row ? update(rows, h, shared) : RealOf<T>(0);
        if (!has_next) return;
        squares = block_sum(block, shared.sum, squares);
        if (block.rank == 0) panel.column_squares[block.index] = squares;
    }

    TL_D void scale_column(const TileRows& rows) const {
        T scale = panel.scalar(1, k), unit = panel.scalar(0, k) != T(0) ? T(1) : T(0);
        TL_FOR_ROWS(q, rows.count) {
            int i = rows.first + q;
            T value = i == g ? unit : panel.v(i, k) * scale;
            panel.v(i, k) = value;
            panel.a(i, g) = value;
        }
    }

    TL_D RealOf<T> update(const TileRows& rows, const Reflector<T>& h, const Shared& shared) const {
        // Unrolled so that many loads are in flight at once: these loops are memory-bound.
        T x[kRowsPerThread], next[kRowsPerThread];
        TL_FOR_ROWS(q, rows.count) x[q] = next[q] = 0;
#pragma unroll 8
        for (int c = 0; c < n_chunks; ++c) {
            const T* part = panel.row_products + static_cast<std::size_t>(c) * panel.a.rows;
            TL_FOR_ROWS(q, rows.count) x[q] += part[rows.first + q];
        }
        TL_FOR_ROWS(q, rows.count) {
            T element = panel.a(rows.first + q, g + 1);
            x[q] = x[q] * h.scale + element;
            next[q] = element;
        }
#pragma unroll 8
        for (int l = 0; l <= k; ++l) {
            const T* v_l = panel.v.col(l) + rows.first;
            T with_v = shared.with_v[l], of_y = shared.row_of_y[l];
            TL_FOR_ROWS(q, rows.count) {
                x[q] -= v_l[q] * with_v;
                next[q] -= v_l[q] * of_y;
            }
        }
#pragma unroll 8
        for (int l = 0; l < k; ++l) {
            const T* x_l = panel.x.col(l) + rows.first;
            T with_x = shared.with_x[l], of_u = shared.row_of_u[l];
            TL_FOR_ROWS(q, rows.count) {
                x[q] -= x_l[q] * with_x;
                next[q] -= x_l[q] * of_u;
            }
        }
        RealOf<T> squares = 0;
        TL_FOR_ROWS(q, rows.count) {
            int i = rows.first + q;
            T new_x = x[q] * h.tau;
            panel.x(i, k) = new_x;
            if (has_next) {
                T value = next[q] - new_x;
                panel.v(i, k + 1) = value;
                if (i > g + 1) squares += squared_magnitude(value);
            }
        }
        return squares;
    }
};

/// Scales the row reflector of the panel's last column.
template <class T>
struct FinishPanel {
    using Shared = NoShared;
    Panel<T> panel;
    int g, k;

    TL_D void operator()(const TileBlock& block, Shared&) const {
        UpdateRow<T> row{panel, g + 1, k + 1, 0};
        TileRows rows(block, block.index, g + 1, panel.a.cols);
        row.scale_last_row(rows);
    }
};

TL_DEVICE_END
