// Teams of a GPU's threads. All threads of a block are alive to the end; those without a matrix
// take part with masks that are false.
#pragma once

#include "solvers/eigen/team.h"

namespace tl::cuda::eigen {

/// Common base of teams of scalars.
template <class T>
struct ScalarLanes {
    using Scalar = T;
    using Real = T;
    using Mask = bool;
    using Index = int;

    template <class A>
    [[nodiscard]] __device__ static T at(const A& a, int index) {
        return a[index];
    }
    template <class A>
    __device__ static void put(const A& a, int index, T value, bool mask) {
        if (mask) a[index] = value;
    }
};

/// Common base of teams of several threads: `folded` reduces the numbers of all of them.
template <class Team, class T>
struct FoldingLanes : ScalarLanes<T> {
    [[nodiscard]] __device__ T sum(T x) const {
        return static_cast<const Team&>(*this).folded(x, [](T a, T b) { return a + b; });
    }
    [[nodiscard]] __device__ T largest(T x) const {
        return static_cast<const Team&>(*this).folded(x, [](T a, T b) { return b > a ? b : a; });
    }
};

/// A thread with its own matrix. The 32 of a warp split off and sweep together.
template <class T>
struct ThreadTeam : ScalarLanes<T> {
    [[nodiscard]] __device__ static int rank() { return 0; }
    [[nodiscard]] __device__ static int size() { return 1; }
    __device__ static void sync() {}
    [[nodiscard]] __device__ static bool any(bool mask) { return __any_sync(~0u, mask); }
    [[nodiscard]] __device__ static int least(int index) { return index; }
    [[nodiscard]] __device__ static int most(int index) { return index; }
    [[nodiscard]] __device__ static T sum(T x) { return x; }
    [[nodiscard]] __device__ static T largest(T x) { return x; }
};

/// kThreads neighbours in a warp with one matrix. The teams of a warp split off and sweep together.
template <class T, int kThreads>
struct WarpTeam : FoldingLanes<WarpTeam<T, kThreads>, T> {
    [[nodiscard]] __device__ static int rank() { return static_cast<int>(threadIdx.x) % kThreads; }
    [[nodiscard]] __device__ static int size() { return kThreads; }
    __device__ static void sync() { __syncwarp(lanes()); }
    [[nodiscard]] __device__ static bool any(bool mask) { return __any_sync(~0u, mask); }
    [[nodiscard]] __device__ static int least(int index) { return index; }
    [[nodiscard]] __device__ static int most(int index) { return index; }
    template <class Op>
    [[nodiscard]] __device__ static T folded(T x, Op op) {
        for (int offset = kThreads / 2; offset; offset /= 2)
            x = op(x, __shfl_xor_sync(lanes(), x, offset, kThreads));
        return x;
    }

  private:
    [[nodiscard]] __device__ static unsigned lanes() {
        if constexpr (kThreads == 32)
            return ~0u;
        else
            return ((1u << kThreads) - 1) << (threadIdx.x % 32 / kThreads * kThreads);
    }
};

/// A thread for each column of a matrix, several matrices in a block, and all steps synchronous
/// with the whole block (Cvrcek 2016, figures 6.3 and 6.4). `scratch` holds a number for each
/// thread.
template <class T>
struct ColumnTeam : FoldingLanes<ColumnTeam<T>, T> {
    int n;
    T* scratch;

    [[nodiscard]] __device__ int rank() const { return static_cast<int>(threadIdx.x) % n; }
    [[nodiscard]] __device__ int size() const { return n; }
    __device__ static void sync() { __syncthreads(); }
    [[nodiscard]] __device__ static bool any(bool mask) { return __syncthreads_or(mask); }
    [[nodiscard]] __device__ static int least(int /*index*/) { return 0; }
    [[nodiscard]] __device__ int most(int /*index*/) const { return n - 1; }
    template <class Op>
    [[nodiscard]] __device__ T folded(T x, Op op) const {
        scratch[threadIdx.x] = x;
        __syncthreads();
        const T* first = scratch + static_cast<int>(threadIdx.x) / n * n;
        T value = first[0];
        for (int i = 1; i < n; ++i) value = op(value, first[i]);
        __syncthreads();
        return value;
    }
};

/// A block with one matrix. `scratch` holds a number for each warp.
template <class T>
struct BlockTeam : FoldingLanes<BlockTeam<T>, T> {
    T* scratch;

    [[nodiscard]] __device__ static int rank() { return static_cast<int>(threadIdx.x); }
    [[nodiscard]] __device__ static int size() { return static_cast<int>(blockDim.x); }
    __device__ static void sync() { __syncthreads(); }
    /// All threads work out the same.
    [[nodiscard]] __device__ static bool any(bool mask) { return mask; }
    [[nodiscard]] __device__ static int least(int index) { return index; }
    [[nodiscard]] __device__ static int most(int index) { return index; }
    template <class Op>
    [[nodiscard]] __device__ T folded(T x, Op op) const {
        for (int offset = 16; offset; offset /= 2) x = op(x, __shfl_xor_sync(~0u, x, offset));
        if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
        __syncthreads();
        T value = scratch[0];
        for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) value = op(value, scratch[warp]);
        __syncthreads();
        return value;
    }
};

/// The numbers of one thread among those of others: element i is at i * stride.
template <class T>
struct Strided {
    T* first;
    std::size_t stride;
    __device__ T& operator[](int i) const { return first[static_cast<std::size_t>(i) * stride]; }
};

}  // namespace tl::cuda::eigen
