// The GPU's mode with a thread for each matrix, from beginning to end.
#include "core/device/array.h"
#include "core/device/launch_cuda.h"
#include "solvers/eigen/cuda_task.h"

namespace tl::cuda {
namespace {

using namespace eigen;

/// In local memory: kMost rows at most.
template <class T, int kMost>
__global__ void __launch_bounds__(kThreads) thread_kernel(Task<T> task) {
    T memory[3 * kMost * kMost + Workspace<T*>::kArrays * kMost];
    auto s = Workspace<T*>::of(task.n, task.pairs, [&](int offset) { return memory + offset; });
    std::size_t index = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
    solve_one(ThreadTeam<T>(), task, index, s);
}

/// In global memory; each thread solves several matrices.
template <class T>
__global__ void __launch_bounds__(kThreads) thread_global_kernel(Task<T> task, T* memory) {
    std::size_t n_threads = gridDim.x * std::size_t{kThreads};
    std::size_t thread = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
    auto s = strided_workspace(task.n, task.pairs, memory + thread, n_threads);
    for (std::size_t first = 0; first < task.count; first += n_threads)
        solve_one(ThreadTeam<T>(), task, first + thread, s);
}

}  // namespace

template <class T>
void eigen_thread(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                  const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    auto task = task_of(batch, range, pairs, limits, outputs);
    constexpr int kInLocalMemory = 10;
    if (batch.n <= kInLocalMemory) {
        launch(stream, "eig thread", blocks_for(range.count, kThreads), kThreads,
               thread_kernel<T, kInLocalMemory>, task);
        return;
    }
    constexpr unsigned kMostBlocks = 1024;
    unsigned n_blocks = blocks_for(range.count, kThreads, kMostBlocks);
    DeviceArray<T> memory(
        stream, std::size_t{n_blocks} * kThreads * Workspace<T*>::elements(batch.n, pairs));
    launch(stream, "eig thread", n_blocks, kThreads, thread_global_kernel<T>, task, memory.data());
}

template void eigen_thread(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                           const EigenLimits&, const EigenOutputs<float>&);
template void eigen_thread(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                           const EigenLimits&, const EigenOutputs<double>&);

}  // namespace tl::cuda
