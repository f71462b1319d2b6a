#include "solvers/dense/matmul/packed_product.h"

#include <immintrin.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

namespace tl {
namespace {

struct Floats {
    using Vector = __m256;
    static Vector load(const float* from) { return _mm256_loadu_ps(from); }
    static void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
    static Vector all(const float* value) { return _mm256_broadcast_ss(value); }
    static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
    static Vector times(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
};
struct Doubles {
    using Vector = __m256d;
    static Vector load(const double* from) { return _mm256_loadu_pd(from); }
    static void store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
    static Vector all(const double* value) { return _mm256_broadcast_sd(value); }
    static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
    static Vector times(Vector a, Vector b) { return _mm256_mul_pd(a, b); }
};
template <class T>
using Simd = std::conditional_t<sizeof(T) == 8, Doubles, Floats>;

// Operations of AVX-512, for functions that are called only where the processor has it.
#define TL_WIDE __attribute__((target("avx512f"), always_inline)) static inline
struct WideFloats {
    using Vector = __m512;
    TL_WIDE Vector load(const float* from) { return _mm512_loadu_ps(from); }
    TL_WIDE void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
    TL_WIDE Vector all(float value) { return _mm512_set1_ps(value); }
    TL_WIDE Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
    TL_WIDE Vector times(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
};
struct WideDoubles {
    using Vector = __m512d;
    TL_WIDE Vector load(const double* from) { return _mm512_loadu_pd(from); }
    TL_WIDE void store(double* to, Vector v) { _mm512_storeu_pd(to, v); }
    TL_WIDE Vector all(double value) { return _mm512_set1_pd(value); }
    TL_WIDE Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
    TL_WIDE Vector times(Vector a, Vector b) { return _mm512_mul_pd(a, b); }
};
#undef TL_WIDE
template <class T>
using WideSimd = std::conditional_t<sizeof(T) == 8, WideDoubles, WideFloats>;

/// Strips of A that a tile of AVX-512 takes at once: 18 of its 32 registers hold sums.
constexpr int kWideStrips = 3;

[[nodiscard]] bool has_wide_registers() {
    static const bool has = __builtin_cpu_supports("avx512f") != 0;
    return has;
}

/// One tile: C = alpha A B + beta C from a strip of A and one of B.
template <class T>
__attribute__((noinline)) void multiply_tile(int depth, T alpha, const T* a, const T* b, T beta,
                                             T* c, std::size_t stride) {
    using Tile = ProductTile<T>;
    using S = Simd<T>;
    typename S::Vector sums[Tile::kCols][2] = {};
#pragma GCC unroll 4
    for (int k = 0; k < depth; ++k, a += Tile::kRows, b += Tile::kCols) {
        auto a0 = S::load(a), a1 = S::load(a + Tile::kLanes);
#pragma GCC unroll 6
        for (int j = 0; j < Tile::kCols; ++j) {
            auto value = S::all(b + j);
            sums[j][0] = S::fma(a0, value, sums[j][0]);
            sums[j][1] = S::fma(a1, value, sums[j][1]);
        }
    }
    auto factor = S::all(&alpha), kept = S::all(&beta);
#pragma GCC unroll 6
    for (int j = 0; j < Tile::kCols; ++j)
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            T* to = c + static_cast<std::size_t>(j) * stride + half * Tile::kLanes;
            auto value = S::times(factor, sums[j][half]);
            if (beta != T(0)) value = S::fma(kept, S::load(to), value);
            S::store(to, value);
        }
}

/// kWideStrips tiles, one below the other, with the same bits as multiply_tile(). Strips of A are
/// `strip` elements apart.
template <class T>
__attribute__((target("avx512f"), noinline)) void multiply_wide_tile(int depth, T alpha, const T* a,
                                                                     std::size_t strip, const T* b,
                                                                     T beta, T* c,
                                                                     std::size_t stride) {
    using Tile = ProductTile<T>;
    using S = WideSimd<T>;
    typename S::Vector sums[Tile::kCols][kWideStrips] = {};
#pragma GCC unroll 2
    for (int k = 0; k < depth; ++k, a += Tile::kRows, b += Tile::kCols) {
        auto a0 = S::load(a), a1 = S::load(a + strip), a2 = S::load(a + 2 * strip);
#pragma GCC unroll 6
        for (int j = 0; j < Tile::kCols; ++j) {
            auto value = S::all(b[j]);
            sums[j][0] = S::fma(a0, value, sums[j][0]);
            sums[j][1] = S::fma(a1, value, sums[j][1]);
            sums[j][2] = S::fma(a2, value, sums[j][2]);
        }
    }
    auto factor = S::all(alpha), kept = S::all(beta);
#pragma GCC unroll 6
    for (int j = 0; j < Tile::kCols; ++j)
#pragma GCC unroll 3
        for (int q = 0; q < kWideStrips; ++q) {
            T* to = c + static_cast<std::size_t>(j) * stride + q * Tile::kRows;
            auto value = S::times(factor, sums[j][q]);
            if (beta != T(0)) value = S::fma(kept, S::load(to), value);
            S::store(to, value);
        }
}

/// A tile at the edge of C, through a tile of its own.
template <class T>
void multiply_edge(int depth, T alpha, const T* a, const T* b, T beta, MatrixView<T> c) {
    using Tile = ProductTile<T>;
    alignas(64) T sums[Tile::kRows * Tile::kCols];
    multiply_tile<T>(depth, alpha, a, b, T(0), sums, Tile::kRows);
    for (int j = 0; j < c.cols; ++j)
        for (int i = 0; i < c.rows; ++i) {
            T value = sums[j * Tile::kRows + i];
            // Rounded as in whole tiles, whose sum is fused.
            c(i, j) = beta != T(0) ? std::fma(beta, c(i, j), value) : value;
        }
}

/// Strides of op(A): element (i, k) is data[i * along + k * across].
template <class T>
struct Steps {
    const T* data;
    std::size_t along, across;
    int extent, depth;
    static Steps left(Transpose op, MatrixView<const T> a) {
        auto stride = static_cast<std::size_t>(a.stride);
        if (op == Transpose::yes) return {a.data, stride, 1, a.cols, a.rows};
        return {a.data, 1, stride, a.rows, a.cols};
    }
    static Steps right(Transpose op, MatrixView<const T> b) {
        return left(op == Transpose::yes ? Transpose::no : Transpose::yes, b);
    }
    [[nodiscard]] const T* from(int k) const { return data + static_cast<std::size_t>(k) * across; }
};

/// Multiplies C by beta, for products of depth 0.
template <class T>
void scale(T beta, MatrixView<T> c) {
    for (int j = 0; j < c.cols; ++j)
        for (int i = 0; i < c.rows; ++i) c(i, j) = beta != T(0) ? beta * c(i, j) : T(0);
}

/// `for_parts(count, width, op)` calls op(first, end) for parts of [0, count) that begin at
/// multiples of `width`.
template <class T, class ForParts>
void multiply_by_blocks(PackedLeft<T>& left, PackedRight<T>& right, Transpose op_a, Transpose op_b,
                        T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
                        MatrixView<T> c, ForParts for_parts) {
    using Tile = ProductTile<T>;
    if (c.empty()) return;
    auto from_a = Steps<T>::left(op_a, a), from_b = Steps<T>::right(op_b, b);
    if (from_a.depth == 0 || alpha == T(0)) return scale(beta, c);
    // Columns of C at a time, so that the packed part of B stays in the last cache.
    constexpr int kColsAtOnce = 340 * Tile::kCols;
    for (int first_col = 0; first_col < c.cols; first_col += kColsAtOnce) {
        int n_cols = std::min(kColsAtOnce, c.cols - first_col);
        for (int k = 0; k < from_a.depth; k += Tile::kDepth) {
            int depth = std::min(Tile::kDepth, from_a.depth - k);
            left.resize(c.rows, depth);
            right.resize(n_cols, depth);
            const T* data = from_b.from(k) + static_cast<std::size_t>(first_col) * from_b.along;
            for_parts(n_cols, 8 * Tile::kCols, [&](int first, int end) {
                right.pack(data, from_b.along, from_b.across, first, end);
            });
            for_parts(c.rows, 4 * Tile::kRows, [&](int first, int end) {
                left.pack(from_a.from(k), from_a.along, from_a.across, first, end);
            });
            for_parts(n_cols, 8 * Tile::kCols, [&](int first, int end) {
                multiply_packed<T>(alpha, left, 0, right, first, k > 0 ? T(1) : beta,
                                   c.columns(first_col + first, end - first));
            });
        }
    }
}

}  // namespace

template <class T, int kWidth>
void PackedStrips<T, kWidth>::resize(int extent, int depth) {
    auto n_strips = static_cast<std::size_t>((extent + kWidth - 1) / kWidth);
    std::size_t size = n_strips * kWidth * static_cast<std::size_t>(depth);
    if (size > capacity_) {
        data_.reset(static_cast<T*>(::operator new[](size * sizeof(T), std::align_val_t(64))));
        capacity_ = size;
    }
    extent_ = extent;
    depth_ = depth;
}

template <class T, int kWidth>
void PackedStrips<T, kWidth>::pack(const T* data, std::size_t along, std::size_t across, int first,
                                   int end) {
    for (int begin = first; begin < end; begin += kWidth) {
        T* to = data_.get() + static_cast<std::size_t>(begin) * static_cast<std::size_t>(depth_);
        const T* from = data + static_cast<std::size_t>(begin) * along;
        int count = std::min(kWidth, end - begin);
        if (count < kWidth) {
            for (int k = 0; k < depth_; ++k, to += kWidth)
                for (int i = 0; i < kWidth; ++i)
                    to[i] = i < count ? from[static_cast<std::size_t>(i) * along +
                                             static_cast<std::size_t>(k) * across]
                                      : T(0);
        } else if (along == 1) {
            for (int k = 0; k < depth_; ++k, to += kWidth, from += across)
                std::memcpy(to, from, kWidth * sizeof(T));
        } else {
            for (int k = 0; k < depth_; ++k, to += kWidth, from += across)
                for (int i = 0; i < kWidth; ++i) to[i] = from[static_cast<std::size_t>(i) * along];
        }
    }
}

template <class T>
void multiply_packed(T alpha, const PackedLeft<T>& a, int row, const PackedRight<T>& b, int col,
                     T beta, MatrixView<T> c) {
    using Tile = ProductTile<T>;
    constexpr int kWideRows = kWideStrips * Tile::kRows;
    auto stride = static_cast<std::size_t>(c.stride);
    auto strip = static_cast<std::size_t>(Tile::kRows) * static_cast<std::size_t>(a.depth());
    bool is_wide = has_wide_registers();
    for (int first = 0; first < c.rows; first += Tile::kRowsAtOnce) {
        int end = std::min(c.rows, first + Tile::kRowsAtOnce);
        for (int j = 0; j < c.cols; j += Tile::kCols) {
            int n_cols = std::min(Tile::kCols, c.cols - j), i = first;
            for (; is_wide && n_cols == Tile::kCols && end - i >= kWideRows; i += kWideRows)
                multiply_wide_tile<T>(a.depth(), alpha, a.strip(row + i), strip, b.strip(col + j),
                                      beta, &c(i, j), stride);
            for (; i < end; i += Tile::kRows) {
                int n_rows = std::min(Tile::kRows, end - i);
                auto tile = c.block(i, j, n_rows, n_cols);
                if (n_rows == Tile::kRows && n_cols == Tile::kCols)
                    multiply_tile<T>(a.depth(), alpha, a.strip(row + i), b.strip(col + j), beta,
                                     tile.data, stride);
                else
                    multiply_edge<T>(a.depth(), alpha, a.strip(row + i), b.strip(col + j), beta,
                                     tile);
            }
        }
    }
}

template <class T>
void multiply_here(Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                   MatrixView<const T> b, T beta, MatrixView<T> c) {
    thread_local PackedLeft<T> left;
    thread_local PackedRight<T> right;
    multiply_by_blocks<T>(left, right, op_a, op_b, alpha, a, b, beta, c,
                          [](int count, int, auto op) { op(0, count); });
}

template <class T>
void multiply_on_cpu(Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                     MatrixView<const T> b, T beta, MatrixView<T> c) {
    PackedLeft<T> left;
    PackedRight<T> right;
    multiply_by_blocks<T>(left, right, op_a, op_b, alpha, a, b, beta, c,
                          [](int count, int width, auto op) {
                              tbb::parallel_for(0, (count + width - 1) / width, [&](int part) {
                                  op(part * width, std::min(count, (part + 1) * width));
                              });
                          });
}

#define TL_INSTANTIATE(T)                                                                          \
    template class PackedStrips<T, ProductTile<T>::kRows>;                                         \
    template class PackedStrips<T, ProductTile<T>::kCols>;                                         \
    template void multiply_packed(T, const PackedLeft<T>&, int, const PackedRight<T>&, int, T,     \
                                  MatrixView<T>);                                                  \
    template void multiply_here(Transpose, Transpose, T, MatrixView<const T>, MatrixView<const T>, \
                                T, MatrixView<T>);                                                 \
    template void multiply_on_cpu(Transpose, Transpose, T, MatrixView<const T>,                    \
                                  MatrixView<const T>, T, MatrixView<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
