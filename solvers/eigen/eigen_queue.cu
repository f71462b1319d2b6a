// The GPU's mode with a thread for each matrix and a queue for the eigenvalues, whose number of
// sweeps differs.
#include <algorithm>

#include "core/device/array.h"
#include "core/device/launch_cuda.h"
#include "solvers/eigen/cuda_task.h"

namespace tl::cuda {
namespace {

using namespace eigen;

/// Memory that the queue's three kernels pass on, for each matrix.
template <class T>
struct QueueMemory {
    T* workspaces;  ///< interleaved by matrix
    T* slots;       ///< interleaved by thread of the second kernel: n x n and two arrays of n
    Progress<ThreadTeam<T>>* progress;
    int* next;  ///< the queue's head
    std::size_t n_matrices;
};

template <class T>
__global__ void __launch_bounds__(kThreads) queue_reduce_kernel(Task<T> task, QueueMemory<T> q) {
    std::size_t index = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
    bool there = index < task.count;
    auto s = strided_workspace(task.n, task.pairs, q.workspaces + index, q.n_matrices);
    load(ThreadTeam<T>(), task, task.first + (there ? index : 0), there, s.h);
    q.progress[index] = to_hessenberg<true>(ThreadTeam<T>(), task.n, task.limits, s, there);
}

template <class T>
__global__ void __launch_bounds__(kThreads) queue_sweep_kernel(Task<T> task, QueueMemory<T> q) {
    using Team = ThreadTeam<T>;
    using A = Strided<T>;
    const int n = task.n;
    std::size_t n_threads = gridDim.x * std::size_t{kThreads};
    std::size_t thread = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
    auto part = [&](int offset) {
        return A{q.slots + thread + static_cast<std::size_t>(offset) * n_threads, n_threads};
    };
    A h = part(0), re = part(n * n), im = part(n * n + n);
    Team team;
    Francis<Team, A> francis;
    francis.begin(n, false, T(1));
    int index = -1;
    bool empty = false;
    for (;;) {
        if (!francis.active && index >= 0) {
            auto s = strided_workspace(n, task.pairs, q.workspaces + index, q.n_matrices);
            auto& progress = q.progress[index];
            progress.valid = progress.valid && progress.finite && !francis.failed;
            const T nan = std::numeric_limits<T>::quiet_NaN();
            for (int i = 0; i < n; ++i) {
                s.re[i] = progress.valid ? re[i] : nan;
                s.im[i] = progress.valid ? im[i] : nan;
            }
            std::size_t matrix = task.first + static_cast<std::size_t>(index);
            TeamSink<Team, A, T> sink{team, task, matrix, true};
            finish_values(team, n, s, progress);
            sink.values(s, progress, francis);
            index = -1;
        }
        if (index < 0 && !empty) {
            index = atomicAdd(q.next, 1);
            empty = index >= static_cast<int>(task.count);
            if (empty) {
                index = -1;
            } else {
                auto s = strided_workspace(n, task.pairs, q.workspaces + index, q.n_matrices);
                for (int e = 0; e < n * n; ++e) h[e] = s.w[e];
                auto& progress = q.progress[index];
                francis.begin(n, progress.valid && progress.finite,
                              instead_of_zero<Team>(progress.wide));
            }
        }
        if (!team.any(index >= 0)) break;
        if (team.any(francis.active)) francis.step(team, n, h, re, im, task.limits.sweeps * n);
    }
}

template <class T>
__global__ void __launch_bounds__(kThreads) queue_vectors_kernel(Task<T> task, QueueMemory<T> q) {
    using Team = ThreadTeam<T>;
    std::size_t index = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
    bool there = index < task.count;
    auto s = strided_workspace(task.n, task.pairs, q.workspaces + index, q.n_matrices);
    Team team;
    TeamSink<Team, Strided<T>, T> sink{team, task, task.first + (there ? index : 0), there};
    find_vectors<true>(team, task.n, task.pairs, s, q.progress[index], sink);
}

}  // namespace

template <class T>
void eigen_queue(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                 const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    constexpr std::size_t kMostMatrices = std::size_t{1} << 17;
    constexpr unsigned kMostBlocks = 512;  // blocks of the second kernel
    const int n = batch.n;
    std::size_t most =
        blocks_for(std::min(range.count, kMostMatrices), kThreads) * std::size_t{kThreads};
    unsigned n_slot_blocks = blocks_for(most, kThreads, kMostBlocks);
    DeviceArray<T> workspaces(stream, most * Workspace<T*>::elements(n, pairs));
    DeviceArray<T> slots(stream, std::size_t{n_slot_blocks} * kThreads * (n * n + 2 * n));
    DeviceArray<Progress<ThreadTeam<T>>> progress(stream, most);
    DeviceArray<int> next(stream, 1);
    QueueMemory<T> q{workspaces.data(), slots.data(), progress.data(), next.data(), most};
    for (std::size_t first = 0; first < range.count; first += most) {
        EigenRange part{range.first + first, std::min(most, range.count - first)};
        auto task = task_of(batch, part, pairs, limits, outputs);
        next.fill_zero(stream);
        unsigned n_blocks = blocks_for(part.count, kThreads);
        launch(stream, "eig queue reduce", n_blocks, kThreads, queue_reduce_kernel<T>, task, q);
        launch(stream, "eig queue sweep", std::min(n_blocks, n_slot_blocks), kThreads,
               queue_sweep_kernel<T>, task, q);
        launch(stream, "eig queue vectors", n_blocks, kThreads, queue_vectors_kernel<T>, task, q);
    }
}

template void eigen_queue(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<float>&);
template void eigen_queue(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                          const EigenLimits&, const EigenOutputs<double>&);

}  // namespace tl::cuda
