// The GPU's modes with a thread for each column of a matrix, or a block for each matrix.
#include <algorithm>
#include <numeric>

#include "core/device/array.h"
#include "core/device/launch_cuda.h"
#include "solvers/eigen/cuda_task.h"

namespace tl::cuda {
namespace {

using namespace eigen;

constexpr int kMostColumns = 512;  // threads of a block of columns_kernel

/// In shared memory, after a number for each thread.
template <class T>
__global__ void __launch_bounds__(kMostColumns) columns_kernel(Task<T> task) {
    extern __shared__ double shared_memory[];
    T* scratch = reinterpret_cast<T*>(shared_memory);
    int per_block = static_cast<int>(blockDim.x) / task.n;
    int in_block = static_cast<int>(threadIdx.x) / task.n;
    T* memory = scratch + blockDim.x + in_block * Workspace<T*>::elements(task.n, task.pairs);
    auto s = Workspace<T*>::of(task.n, task.pairs, [&](int offset) { return memory + offset; });
    std::size_t index = blockIdx.x * static_cast<std::size_t>(per_block) + in_block;
    ColumnTeam<T> team{{}, task.n, scratch};
    solve_one(team, task, index, s);
}

/// In global memory; each block solves several matrices.
template <class T>
__global__ void __launch_bounds__(256) block_kernel(Task<T> task, T* memory) {
    __shared__ T scratch[8];
    std::size_t size = Workspace<T*>::elements(task.n, task.pairs);
    T* own = memory + blockIdx.x * size;
    auto s = Workspace<T*>::of(task.n, task.pairs, [&](int offset) { return own + offset; });
    BlockTeam<T> team{{}, scratch};
    for (std::size_t index = blockIdx.x; index < task.count; index += gridDim.x)
        solve_one(team, task, index, s);
}

/// Largest shared memory that a block may request.
std::size_t most_shared_bytes(const Device& gpu) {
    int bytes = 0;
    TL_CUDA_CHECK(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu.index()));
    return static_cast<std::size_t>(bytes);
}

}  // namespace

template <class T>
void eigen_columns(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                   const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    auto task = task_of(batch, range, pairs, limits, outputs);
    // Equation 6.1 of the thesis: whole warps, as far as shared memory and blocks allow.
    std::size_t n = static_cast<std::size_t>(batch.n);
    std::size_t each = sizeof(T) * (n + Workspace<T*>::elements(batch.n, pairs));
    std::size_t matrices =
        std::max<std::size_t>(1, std::min({std::lcm(std::size_t{32}, n) / n, kMostColumns / n,
                                           most_shared_bytes(stream.device()) / each}));
    launch_shared(stream, "eig columns", blocks_for(range.count, matrices),
                  static_cast<unsigned>(matrices * n), matrices * each, columns_kernel<T>, task);
}

template <class T>
void eigen_block(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    constexpr unsigned kMostBlocks = 264;
    auto n_blocks = static_cast<unsigned>(std::min<std::size_t>(range.count, kMostBlocks));
    DeviceArray<T> memory(stream, std::size_t{n_blocks} * Workspace<T*>::elements(batch.n, pairs));
    launch(stream, "eig block", n_blocks, 256u, block_kernel<T>,
           task_of(batch, range, pairs, limits, outputs), memory.data());
}

template void eigen_columns(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                            const EigenLimits&, const EigenOutputs<float>&);
template void eigen_block(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<float>&);
template void eigen_columns(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                            const EigenLimits&, const EigenOutputs<double>&);
template void eigen_block(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<double>&);

}  // namespace tl::cuda
