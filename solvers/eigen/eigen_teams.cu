// The GPU's modes with several threads for each matrix: part of a warp, a thread for each column,
// or a block.
#include <algorithm>
#include <numeric>

#include "accel/parallel/array.h"
#include "accel/parallel/launch_cuda.h"
#include "solvers/eigen/cuda_task.h"

namespace tl::cuda {
namespace {

using namespace eigen;

/// In shared memory.
template <class T, int kTeam>
__global__ void __launch_bounds__(kThreads) lanes_kernel(Task<T> task) {
    extern __shared__ double shared_memory[];
    int team_in_block = static_cast<int>(threadIdx.x) / kTeam;
    T* memory = reinterpret_cast<T*>(shared_memory) +
                team_in_block * Workspace<T*>::elements(task.n, task.pairs);
    auto s = Workspace<T*>::of(task.n, task.pairs, [&](int offset) { return memory + offset; });
    std::size_t index = blockIdx.x * std::size_t{kThreads / kTeam} + team_in_block;
    solve_one(WarpTeam<T, kTeam>(), task, index, s);
}

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

/// In global memory; each block goes on to further matrices.
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

/// Launches a kernel with dynamic shared memory, of which more than 48 KiB have to be asked for.
template <class T>
void launch_shared(Stream& stream, const char* name, unsigned n_blocks, unsigned n_threads,
                   std::size_t bytes, void (*kernel)(Task<T>), const Task<T>& task) {
    TL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    kernel<<<n_blocks, n_threads, bytes, static_cast<cudaStream_t>(stream.native())>>>(task);
    TL_CUDA_CHECK_LAUNCH(name);
}

/// Shared memory that a block may ask for.
std::size_t most_shared_bytes() {
    int device = 0, bytes = 0;
    TL_CUDA_CHECK(cudaGetDevice(&device));
    TL_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return static_cast<std::size_t>(bytes);
}

template <class T, int kTeam>
void launch_lanes(Stream& stream, const Task<T>& task) {
    constexpr std::size_t kMatrices = kThreads / kTeam;
    std::size_t bytes = kMatrices * sizeof(T) * Workspace<T*>::elements(task.n, task.pairs);
    launch_shared(stream, "eig lanes", blocks_for(task.count, kMatrices), kThreads, bytes,
                  lanes_kernel<T, kTeam>, task);
}

}  // namespace

template <class T>
void eigen_lanes(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    auto task = task_of(batch, range, pairs, limits, outputs);
    if (batch.n <= 8)
        launch_lanes<T, 8>(stream, task);
    else if (batch.n <= 16)
        launch_lanes<T, 16>(stream, task);
    else
        launch_lanes<T, 32>(stream, task);
}

template <class T>
void eigen_columns(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                   const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    auto task = task_of(batch, range, pairs, limits, outputs);
    // Equation 6.1 of the thesis: whole warps, as far as shared memory and blocks allow.
    std::size_t n = static_cast<std::size_t>(batch.n);
    std::size_t each = sizeof(T) * (n + Workspace<T*>::elements(batch.n, pairs));
    std::size_t matrices = std::max<std::size_t>(
        1,
        std::min({std::lcm(std::size_t{32}, n) / n, kMostColumns / n, most_shared_bytes() / each}));
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

template void eigen_lanes(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<float>&);
template void eigen_columns(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                            const EigenLimits&, const EigenOutputs<float>&);
template void eigen_block(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<float>&);
template void eigen_lanes(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<double>&);
template void eigen_columns(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                            const EigenLimits&, const EigenOutputs<double>&);
template void eigen_block(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<double>&);

}  // namespace tl::cuda
