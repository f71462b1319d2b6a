// launch_blocks<kThreads>(stream, "name", n_blocks, op) runs op(block, shared) in blocks of threads
// that share memory (a struct Op::Shared) and can synchronise. On the CPU a block is one thread,
// and blocks run over oneTBB: `for (i = block.rank; i < n; i += block.size)` is then the whole
// loop, so the same source serves both devices. Only files compiled for a device include this
// header.
#pragma once

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

#if defined(__CUDACC__)
#include "core/device/warp.h"
#else
#include <atomic>
#endif

TL_DEVICE_BEGIN

/// The shared memory of an op whose threads share none.
struct NoShared {
    int unused;
};

/// One thread's view of its block.
template <int kThreads>
struct Block {
#if defined(__CUDACC__)
    static constexpr std::uint32_t size = kThreads;  ///< threads of the block
#else
    static constexpr std::uint32_t size = 1;
#endif
    std::uint32_t rank;  ///< index of this thread, below size
    std::uint32_t index;
    std::uint32_t n_blocks;

    /// Waits until all threads of the block arrive; their earlier writes are then visible to all.
    TL_D void sync() const {
#if defined(__CUDACC__)
        __syncthreads();
#endif
    }
};

#if defined(__CUDACC__)

template <int kThreads, class Shared, class Op>
__device__ __forceinline__ void run_in_block(const Op& op) {
    __shared__ __align__(16) unsigned char memory[sizeof(Shared)];
    op(Block<kThreads>{threadIdx.x, blockIdx.x, gridDim.x}, *reinterpret_cast<Shared*>(memory));
}
template <int kThreads, class Shared, class Op>
__global__ void __launch_bounds__(kThreads) block_kernel(const __grid_constant__ Op op) {
    run_in_block<kThreads, Shared>(op);
}
/// Limits registers so that at least kBlocks blocks are resident on an SM.
template <int kThreads, int kBlocks, class Shared, class Op>
__global__ void __launch_bounds__(kThreads, kBlocks)
    block_resident_kernel(const __grid_constant__ Op op) {
    run_in_block<kThreads, Shared>(op);
}

/// `op` is a functor with a const operator()(Block<kThreads>, Shared&); Shared starts
/// uninitialised, and its members need no constructors. kResidentBlocks: as for parallel_for.
template <int kThreads, class Shared, int kResidentBlocks = 0, class Op>
void launch_blocks(Stream& stream, const char* name, std::uint32_t n_blocks, Op op) {
    static_assert(sizeof(Shared) <= 48 * 1024, "more would have to be asked for at the launch");
    if (n_blocks == 0) return;
    auto native = static_cast<cudaStream_t>(stream.native());
    LaunchRange range(name);
    if constexpr (kResidentBlocks == 0)
        block_kernel<kThreads, Shared><<<n_blocks, kThreads, 0, native>>>(op);
    else
        block_resident_kernel<kThreads, kResidentBlocks, Shared>
            <<<n_blocks, kThreads, 0, native>>>(op);
    TL_CUDA_CHECK_LAUNCH(name);
}

// Atomics on shared memory, callable by any thread of a block.
__device__ inline void block_max(std::uint32_t* at, std::uint32_t value) {
    atomicMax(at, value);
}
__device__ inline void block_min(std::uint64_t* at, std::uint64_t value) {
    atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}
__device__ inline void block_add(std::uint32_t* at, std::uint32_t value) {
    atomicAdd(at, value);
}
/// Adds 1 and returns the old value.
__device__ inline std::uint32_t block_append(std::uint32_t* at) {
    return atomic_append(at);
}
/// Called by all threads of the block: at[0] becomes the maximum of itself and all their values.
__device__ inline void block_max_of_all(std::uint32_t* at, std::uint32_t value) {
    value = warp_maximum(value);
    if (threadIdx.x % 32 == 0) atomicMax(at, value);
}
// Atomics on device memory, callable by any thread.
__device__ inline void atomic_max(std::uint32_t* at, std::uint32_t value) {
    atomicMax(at, value);
}
__device__ inline void atomic_min(std::uint64_t* at, std::uint64_t value) {
    atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value));
}
/// Loads a value that other threads lower concurrently; the result may be an earlier, larger value.
__device__ inline std::uint64_t load_racing(const std::uint64_t* at) {
    return *at;
}
/// A thread that sees a later write of this thread also sees its writes before the fence.
__device__ inline void fence() {
    __threadfence();
}
/// Loads a value that another block may have written during the same launch.
__device__ inline std::uint32_t load_fresh(const std::uint32_t* at) {
    return __ldcg(at);
}

#else

/// Not inlined: a single copy fuses sums in the same way in every task.
template <int kThreads, class Shared, class Op>
__attribute__((noinline)) void run_in_block(Op& op, std::uint32_t index, std::uint32_t n_blocks) {
    alignas(16) unsigned char memory[sizeof(Shared)];
    op(Block<kThreads>{0, index, n_blocks}, *reinterpret_cast<Shared*>(memory));
}

template <int kThreads, class Shared, int kResidentBlocks = 0, class Op>
void launch_blocks(Stream& stream, const char* /*name*/, std::uint32_t n_blocks, Op op) {
    stream.check_cancelled();
    tbb::parallel_for(std::uint32_t(0), n_blocks, [&](std::uint32_t index) {
        if (!stream.is_cancelled()) run_in_block<kThreads, Shared>(op, index, n_blocks);
    });
    stream.check_cancelled();
}

inline void block_max(std::uint32_t* at, std::uint32_t value) {
    if (*at < value) *at = value;
}
inline void block_min(std::uint64_t* at, std::uint64_t value) {
    if (value < *at) *at = value;
}
inline void block_add(std::uint32_t* at, std::uint32_t value) {
    *at += value;
}
inline std::uint32_t block_append(std::uint32_t* at) {
    return (*at)++;
}
inline void block_max_of_all(std::uint32_t* at, std::uint32_t value) {
    block_max(at, value);
}
inline void atomic_max(std::uint32_t* at, std::uint32_t value) {
    std::atomic_ref target(*at);
    std::uint32_t old = target.load(std::memory_order_relaxed);
    while (old < value && !target.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
}
inline void atomic_min(std::uint64_t* at, std::uint64_t value) {
    std::atomic_ref target(*at);
    std::uint64_t old = target.load(std::memory_order_relaxed);
    while (value < old && !target.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
    }
}
inline std::uint64_t load_racing(const std::uint64_t* at) {
    return std::atomic_ref(*const_cast<std::uint64_t*>(at)).load(std::memory_order_relaxed);
}
inline void fence() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline std::uint32_t load_fresh(const std::uint32_t* at) {
    return std::atomic_ref(*const_cast<std::uint32_t*>(at)).load(std::memory_order_relaxed);
}

#endif

template <int kThreads, class Op>
void launch_blocks(Stream& stream, const char* name, std::uint32_t n_blocks, const Op& op) {
    launch_blocks<kThreads, typename Op::Shared>(stream, name, n_blocks, op);
}

TL_DEVICE_END
