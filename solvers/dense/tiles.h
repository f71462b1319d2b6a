// Helpers of the dense kernels: distribution of matrix rows over blocks in tiles, and block-wide
// sums. On CUDA each thread has one row of its tile; on the CPU, where a block is one thread, it
// has all of them, and loops over them are vectorised. Only files compiled for a device include it.
#pragma once

#include "core/device/block.h"
#include "solvers/dense/complex.h"

/// A loop over the rows of a thread, q from 0. On CUDA there is at most one row, and q is a
/// constant, so that arrays over a thread's rows stay in registers.
#if defined(__CUDACC__)
// NOLINTNEXTLINE(bugprone-macro-parentheses): q is a name that is declared.
#define TL_FOR_ROWS(q, count) if (constexpr int q = 0; (count) > 0)
#else
// NOLINTNEXTLINE(bugprone-macro-parentheses): q is a name that is declared.
#define TL_FOR_ROWS(q, count) for (int q = 0; q < (count); ++q)
#endif

TL_DEVICE_BEGIN

/// Rows per tile and, on CUDA, threads per block.
inline constexpr int kTile = 256;

using TileBlock = Block<kTile>;
/// Rows of a tile per thread.
inline constexpr int kRowsPerThread = kTile / static_cast<int>(TileBlock::size);

/// The rows [first, first + count) of [begin, end) that belong to one thread of a block.
struct TileRows {
    int first, count;
    TL_D TileRows(const TileBlock& block, std::uint32_t tile, int begin, int end) {
        first =
            begin + static_cast<int>(tile) * kTile + static_cast<int>(block.rank) * kRowsPerThread;
        int left = end - first;
        count = left < 0 ? 0 : left < kRowsPerThread ? left : kRowsPerThread;
    }
};

inline std::uint32_t tile_count(int n_rows) {
    return n_rows <= 0 ? 0 : static_cast<std::uint32_t>((n_rows + kTile - 1) / kTile);
}

/// The blocks of for_elements(), each of which has a tile of rows of one column.
template <class Op>
struct ForElements {
    using Shared = NoShared;
    int rows, n_tiles;
    Op op;

    TL_D void operator()(const TileBlock& block, Shared&) const {
        int j = static_cast<int>(block.index) / n_tiles;
        TileRows part(block, block.index % static_cast<std::uint32_t>(n_tiles), 0, rows);
        TL_FOR_ROWS(q, part.count) op(part.first + q, j);
    }
};

/// Runs `op(i, j)` for every element of a matrix.
template <class Op>
void for_elements(Stream& stream, const char* name, int rows, int cols, Op op) {
    if (rows == 0 || cols == 0) return;
    auto n_tiles = tile_count(rows);
    launch_blocks<kTile>(stream, name, n_tiles * static_cast<std::uint32_t>(cols),
                         ForElements<Op>{rows, static_cast<int>(n_tiles), op});
}

/// Shared memory of block_sum().
template <class T>
struct BlockSum {
    T partial[32];
};

#if defined(__CUDACC__)
/// The value of another lane of the whole warp; all of its lanes take part.
template <class T>
TL_D T shuffled(T value, int lane_mask) {
    if constexpr (kIsComplex<T>)
        return {__shfl_xor_sync(kWholeWarp, value.re, lane_mask),
                __shfl_xor_sync(kWholeWarp, value.im, lane_mask)};
    else
        return __shfl_xor_sync(kWholeWarp, value, lane_mask);
}
#endif

/// The sum of all threads' values, returned to every thread; the order of summation is fixed. All
/// threads of the block must take part; kThreads is a multiple of 32.
template <int kThreads, class T>
TL_D T block_sum(const Block<kThreads>& block, BlockSum<T>& shared, T value) {
#if defined(__CUDACC__)
    constexpr int kWarps = kThreads / 32;
    for (int offset = 16; offset > 0; offset /= 2) value += shuffled(value, offset);
    // The partial sums of an earlier call may still be read.
    block.sync();
    if (block.rank % 32 == 0) shared.partial[block.rank / 32] = value;
    block.sync();
    T sum = shared.partial[0];
    for (int w = 1; w < kWarps; ++w) sum += shared.partial[w];
    return sum;
#else
    (void)block;
    (void)shared;
    return value;
#endif
}

/// The sum of `count` numbers; all threads of the block must take part.
template <int kThreads, class T>
TL_D T block_sum_of(const Block<kThreads>& block, BlockSum<T>& shared, const T* values, int count) {
    T sum = 0;
    for (int i = static_cast<int>(block.rank); i < count; i += static_cast<int>(block.size))
        sum += values[i];
    return block_sum(block, shared, sum);
}

/// The sum of conj(a[i]) b[i] for every kStep-th i from `first`, below `end`.
template <int kStep, class T>
TL_D T dot_product(const T* a, const T* b, int first, int end) {
#if !defined(__CUDACC__)
    if constexpr (kIsComplex<T>) {
        RealOf<T> re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
        for (int i = first; i < end; i += kStep) {
            re += a[i].re * b[i].re + a[i].im * b[i].im;
            im += a[i].re * b[i].im - a[i].im * b[i].re;
        }
        return {re, im};
    } else {
        T sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int i = first; i < end; i += kStep) sum += a[i] * b[i];
        return sum;
    }
#else
    T sum = 0;
    for (int i = first; i < end; i += kStep) sum += conjugate(a[i]) * b[i];
    return sum;
#endif
}

/// The dot product a^H b of `count` numbers; all threads of the block must take part.
template <int kThreads, class T>
TL_D T block_dot(const Block<kThreads>& block, BlockSum<T>& shared, const T* a, const T* b,
                 int count) {
    constexpr int kStep = static_cast<int>(Block<kThreads>::size);
    T sum = dot_product<kStep>(a, b, static_cast<int>(block.rank), count);
    return block_sum(block, shared, sum);
}

TL_DEVICE_END
