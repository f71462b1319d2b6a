// The kernel of a generated solver, from the parameters of an instance to its sorted solutions
// (Cvrcek 2016, chapter 3: instances of an automatic solver on the GPU): a thread an instance, in
// local memory, or a warp an instance, in shared or global memory.
#pragma once

#include "solvers/eigen/cuda_teams.h"
#include "solvers/minimal/instance_task.h"
#include "solvers/minimal/template_solver.h"

namespace tl::cuda::minimal {

/// Inserts the solutions of an instance in rising order, compared unknown by unknown.
template <class Solver>
struct RisingSolutions {
    static constexpr int kUnknowns = Solver::kUnknowns;
    double* solutions;  ///< of the instance, in device memory
    bool writes;        ///< true in one thread of the team
    int count = 0;

    __device__ static bool is_before(const double* a, const double* b) {
        for (int k = 0; k < kUnknowns; ++k)
            if (a[k] != b[k]) return a[k] < b[k];
        return false;
    }
    __device__ void solution(bool want, const double* u) {
        for (int k = 0; k < kUnknowns; ++k) want = want && isfinite(u[k]);
        if (!want || !writes) return;
        double* to = solutions + count++ * kUnknowns;
        for (; to > solutions && is_before(u, to - kUnknowns); to -= kUnknowns)
            for (int k = 0; k < kUnknowns; ++k) to[k] = to[k - kUnknowns];
        for (int k = 0; k < kUnknowns; ++k) to[k] = u[k];
    }
    /// Fills the rest of the array with NaN, and stores the number of solutions.
    __device__ void finish(int& count_of_instance) const {
        if (!writes) return;
        for (int k = count * kUnknowns; k < Solver::kSolutions * kUnknowns; ++k)
            solutions[k] = std::numeric_limits<double>::quiet_NaN();
        count_of_instance = count;
    }
};

/// Solves instance number `index` by a team, whose threads all take part; nothing is written for
/// one past the last.
template <class Solver, class Team, class Storage>
__device__ void solve_instance(const tl::minimal::InstanceTask& task, std::size_t index,
                               Storage& storage) {
    constexpr int kParameters = Solver::kParameters;
    bool there = index < task.count;
    if (!there) index = 0;
    double p[kParameters > 0 ? kParameters : 1];
    bool finite = true;
    for (int k = 0; k < kParameters; ++k) {
        double number = task.instances[index * kParameters + k];
        finite = finite && isfinite(number);
        p[k] = isfinite(number) ? number : 0;
    }
    RisingSolutions<Solver> sink{task.solutions + index * Solver::kSolutions * Solver::kUnknowns,
                                 there && Team::rank() == 0};
    solve<Solver>(Team(), p, there && finite, tl::minimal::kMostNewtonSteps, storage, sink);
    sink.finish(task.counts[index]);
}

/// A thread an instance. The threads of a warp split off and sweep together.
template <class Solver>
__device__ void solve_by_threads(const tl::minimal::InstanceTask& task) {
    TemplateStorage<Solver, double> storage;
    std::size_t index = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    solve_instance<Solver, eigen::ThreadTeam<double>>(task, index, storage);
}

/// A block of one warp an instance, and then the next. The storage is in task.memory, one after the
/// other, or in shared memory where that is null.
template <class Solver>
__device__ void solve_by_warps(const tl::minimal::InstanceTask& task) {
    extern __shared__ double shared_memory[];
    using Storage = TemplateStorage<Solver, double>;
    static_assert(alignof(Storage) == alignof(double));
    auto& storage = task.memory ? reinterpret_cast<Storage*>(task.memory)[blockIdx.x]
                                : *reinterpret_cast<Storage*>(shared_memory);
    for (std::size_t index = blockIdx.x; index < task.count; index += gridDim.x) {
        solve_instance<Solver, eigen::WarpTeam<double, 32>>(task, index, storage);
        __syncwarp();
    }
}

}  // namespace tl::cuda::minimal
