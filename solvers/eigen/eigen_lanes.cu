// The GPU's mode with 8, 16 or 32 threads of a warp for each matrix.
#include "core/device/launch_cuda.h"
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

template void eigen_lanes(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<float>&);
template void eigen_lanes(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<double>&);

}  // namespace tl::cuda
