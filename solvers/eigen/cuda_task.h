// Common code of the GPU's modes: a part of a batch as kernels take it, functions by which a team
// loads, solves and writes its matrix, and launches of kernels with dynamic shared memory.
#pragma once

#include "core/device/launch_cuda.h"
#include "solvers/eigen/cuda_teams.h"
#include "solvers/eigen/eigen_kernels.h"
#include "solvers/eigen/solve_matrix.h"

namespace tl::cuda::eigen {

/// Matrices `first` to `first + count - 1` of a batch, and the requested results.
template <class T>
struct Task {
    const T* a;
    int n;
    std::size_t first, count;
    EigenPairs pairs;
    EigenLimits limits;
    EigenOutputs<T> outputs;
};

/// Writes the results of a team's matrix.
template <class Team, class A, class T>
struct TeamSink {
    const Team& team;
    const Task<T>& task;
    std::size_t matrix;
    bool there;  ///< there is a matrix

    __device__ void values(const Workspace<A>& s, const Progress<Team>& progress,
                           const Francis<Team, A>& francis) {
        if (!there) return;
        EigenStatus status = !progress.finite ? EigenStatus::not_finite
                             : francis.failed ? EigenStatus::not_converged
                                              : EigenStatus::solved;
        const int n = task.n;
        T* to = task.outputs.values + matrix * 2 * n;
        for (int i = team.rank(); i < n; i += team.size()) {
            to[2 * i] = s.x[i];
            to[2 * i + 1] = s.y[i];
        }
        if (team.rank() == 0) {
            task.outputs.sweeps[matrix] = francis.sweeps;
            task.outputs.status[matrix] = static_cast<int>(status);
        }
        if (task.pairs == EigenPairs::values) return;
        if (task.pairs == EigenPairs::all && status == EigenStatus::solved) return;
        // Columns that no vector is found for stay so.
        int size = n * n * (task.pairs == EigenPairs::all ? 2 : 1);
        T* vectors = task.outputs.vectors + matrix * size;
        if (status != EigenStatus::solved) {
            for (int e = team.rank(); e < size; e += team.size())
                vectors[e] = std::numeric_limits<T>::quiet_NaN();
            return;
        }
        int n_real = 0;
        for (int i = 0; i < n; ++i) n_real += s.im[i] == T(0) ? 1 : 0;
        for (int e = team.rank(); e < size; e += team.size())
            if (e % n >= n_real) vectors[e] = std::numeric_limits<T>::quiet_NaN();
    }

    __device__ void vector(int position, int column, const RealPlane<T, A>& y, bool want) {
        if (!want) return;
        const int n = task.n;
        if (task.pairs == EigenPairs::real) {
            T* to = task.outputs.vectors + matrix * n * n + column;
            for (int i = team.rank(); i < n; i += team.size()) to[i * n] = y.re[i];
            return;
        }
        T* to = task.outputs.vectors + 2 * (matrix * n * n + position);
        for (int i = team.rank(); i < n; i += team.size()) {
            to[2 * i * n] = y.re[i];
            to[2 * i * n + 1] = 0;
        }
    }
    __device__ void vector(int position, int /*column*/, const ComplexPlane<T, A>& y, bool want) {
        if (!want) return;
        const int n = task.n;
        T* to = task.outputs.vectors + 2 * (matrix * n * n + position);
        for (int i = team.rank(); i < n; i += team.size()) {
            T re = y.re[i], im = y.im[i];
            to[2 * i * n] = to[2 * i * n + 2] = re;
            to[2 * i * n + 1] = im;
            to[2 * i * n + 3] = -im;
        }
    }
};

/// Copies a matrix into `h`; zeros where there is none.
template <class Team, class A, class T>
__device__ void load(const Team& team, const Task<T>& task, std::size_t matrix, bool there,
                     const A& h) {
    int size = task.n * task.n;
    for (int e = team.rank(); e < size; e += team.size())
        h[e] = there ? task.a[matrix * size + e] : T(0);
    team.sync();
}

/// The workspace of a thread among `stride` others in global memory.
template <class T>
__device__ Workspace<Strided<T>> strided_workspace(int n, EigenPairs pairs, T* memory,
                                                   std::size_t stride) {
    return Workspace<Strided<T>>::of(n, pairs, [&](int offset) {
        return Strided<T>{memory + static_cast<std::size_t>(offset) * stride, stride};
    });
}

/// Solves matrix number `index` of the task, with all steps.
template <class Team, class A, class T>
__device__ void solve_one(const Team& team, const Task<T>& task, std::size_t index,
                          const Workspace<A>& s) {
    bool there = index < task.count;
    std::size_t matrix = task.first + (there ? index : 0);
    load(team, task, matrix, there, s.h);
    TeamSink<Team, A, T> sink{team, task, matrix, there};
    solve_matrix<true, Team, A>(team, task.n, task.pairs, task.limits, s, there, sink);
    team.sync();
}

/// Threads of a block, where a mode has no reason for another number.
inline constexpr unsigned kThreads = 128;

template <class T>
Task<T> task_of(const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    return {batch.a.data, batch.n, range.first, range.count, pairs, limits, outputs};
}

/// Launches a kernel with dynamic shared memory; more than 48 KiB must be requested first.
template <class T>
void launch_shared(Stream& stream, const char* name, unsigned n_blocks, unsigned n_threads,
                   std::size_t bytes, void (*kernel)(Task<T>), const Task<T>& task) {
    stream.device().make_current();
    TL_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(bytes)));
    kernel<<<n_blocks, n_threads, bytes, static_cast<cudaStream_t>(stream.native())>>>(task);
    TL_CUDA_CHECK_LAUNCH(name);
}

}  // namespace tl::cuda::eigen
