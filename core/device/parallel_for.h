// parallel_for(stream, "name", n, op) runs op(i) for every i in [0, n), as a kernel launch on CUDA
// or over oneTBB on the CPU. The name labels the profiler range. Only files compiled for a device
// include this header.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/macros.h"
#include "core/device/device.h"

#if defined(__CUDACC__)
#include "core/device/cuda_check.h"
#include "core/device/launch_range.h"
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

/// Threads per block. With 128 threads of 48-64 registers each, eight to ten warps stay resident
/// per SM quarter. A tracing block ends early enough that its last rays do not hold an SM.
inline constexpr int kBlockSize = 128;

// The ops of kernels are __grid_constant__, so code that takes their address reads them from the
// argument space. Otherwise each thread would first copy the whole op to local memory.
template <class Op>
__global__ void __launch_bounds__(kBlockSize)
    parallel_for_kernel(std::uint32_t n, const __grid_constant__ Op op) {
    std::uint32_t i = blockIdx.x * kBlockSize + threadIdx.x;
    if (i < n) op(i);
}

/// Limits registers so that at least kBlocks blocks are resident on an SM.
template <int kBlocks, class Op>
__global__ void __launch_bounds__(kBlockSize, kBlocks)
    parallel_for_resident_kernel(std::uint32_t n, const __grid_constant__ Op op) {
    std::uint32_t i = blockIdx.x * kBlockSize + threadIdx.x;
    if (i < n) op(i);
}

/// kResidentBlocks: minimum number of blocks resident on an SM, whatever it costs in registers; 0
/// leaves the occupancy to the compiler.
template <int kResidentBlocks = 0, class Op>
void parallel_for(Stream& stream, const char* name, std::uint32_t n, Op op,
                  std::uint32_t /*grain*/ = 0) {
    if (n == 0) return;
    LaunchRange range(name);
    std::uint32_t n_blocks = (n + kBlockSize - 1) / kBlockSize;
    auto native = static_cast<cudaStream_t>(stream.native());
    if constexpr (kResidentBlocks == 0)
        parallel_for_kernel<<<n_blocks, kBlockSize, 0, native>>>(n, op);
    else
        parallel_for_resident_kernel<kResidentBlocks><<<n_blocks, kBlockSize, 0, native>>>(n, op);
    TL_CUDA_CHECK_LAUNCH(name);
}

#else

/// Not inlined: a single copy fuses sums in the same way whatever the size of a launch.
template <class Op>
__attribute__((noinline)) void run_items(Op& op, std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first; i < end; ++i) op(i);
}

/// `grain`: items per task; the default suits cheap bodies, tracing uses fewer. Throws
/// Cancelled as the stream has it.
template <int kResidentBlocks = 0, class Op>
void parallel_for(Stream& stream, const char* /*name*/, std::uint32_t n, Op op,
                  std::uint32_t grain = 2048) {
    stream.check_cancelled();
    if (n <= grain) return run_items(op, 0, n);
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, n, grain),
                      [&op, &stream, grain](const auto& range) {
                          // A task is wider than the grain where there are few threads.
                          std::uint32_t next = range.begin();
                          while (next < range.end() && !stream.is_cancelled()) {
                              std::uint32_t end = next + std::min(grain, range.end() - next);
                              run_items(op, next, end);
                              next = end;
                          }
                      });
    stream.check_cancelled();
}
#endif

TL_DEVICE_END
