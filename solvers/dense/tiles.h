// What the dense kernels share: rows of a matrix dealt to blocks in tiles, and sums over a block.
// On CUDA each thread has one row of its tile; on the CPU, where a block is one thread, it has them
// all, and loops over them become vector code. Only files compiled for a device include it.
#pragma once

#include "accel/parallel/block.h"

/// A loop over the rows that a thread has, q from 0. On CUDA that is at most one, whose number the
/// compiler has to know, so that arrays of a thread's rows stay in registers.
#if defined(__CUDACC__)
// NOLINTNEXTLINE(bugprone-macro-parentheses): q is a name that is declared.
#define TL_FOR_ROWS(q, count) if (constexpr int q = 0; (count) > 0)
#else
// NOLINTNEXTLINE(bugprone-macro-parentheses): q is a name that is declared.
#define TL_FOR_ROWS(q, count) for (int q = 0; q < (count); ++q)
#endif

TL_DEVICE_BEGIN

/// Rows to a tile and threads to a block.
inline constexpr int kTile = 256;

using TileBlock = Block<kTile>;
/// Rows of a tile that one thread has.
inline constexpr int kRowsPerThread = kTile / static_cast<int>(TileBlock::size);

/// The rows [first, first + count) that a thread of a block has of [begin, end).
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

/// Memory of block_sum.
template <class T>
struct BlockSum {
    T partial[32];
};

/// The sum of all threads' values, the same at every thread, in an order that is always the same.
/// By all threads of the block; kThreads is a multiple of 32.
template <int kThreads, class T>
TL_D T block_sum(const Block<kThreads>& block, BlockSum<T>& shared, T value) {
#if defined(__CUDACC__)
    constexpr int kWarps = kThreads / 32;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(kWholeWarp, value, offset);
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

/// The sum of `count` numbers by all threads of the block.
template <int kThreads, class T>
TL_D T block_sum_of(const Block<kThreads>& block, BlockSum<T>& shared, const T* values, int count) {
    T sum = 0;
    for (int i = static_cast<int>(block.rank); i < count; i += static_cast<int>(block.size))
        sum += values[i];
    return block_sum(block, shared, sum);
}

/// a . b of `count` numbers by all threads of the block.
template <int kThreads, class T>
TL_D T block_dot(const Block<kThreads>& block, BlockSum<T>& shared, const T* a, const T* b,
                 int count) {
    T sum = 0;
#if defined(__CUDACC__)
    for (int i = static_cast<int>(block.rank); i < count; i += static_cast<int>(block.size))
        sum += a[i] * b[i];
#else
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) sum += a[i] * b[i];
#endif
    return block_sum(block, shared, sum);
}

TL_DEVICE_END
