// Samples of RANSAC and their models: draws and solves a round of them, with one sample per thread
// on a GPU and one in each lane of a pack on the CPU.
#pragma once

#include <algorithm>

#include "core/device/atomics.h"
#include "core/device/block.h"
#include "solvers/pose/lanes.h"
#include "solvers/pose/ransac/ransac_kernels.h"
#include "solvers/pose/ransac/sample_matches.h"
#if defined(__CUDACC__)
#include "core/device/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace pose {

template <class Problem>
using StateOf = RansacState<typename Problem::Pose>;

/// Device memory of a round of samples: its first is number state.n_samples, and it has
/// state.n_now.
template <class Problem>
struct SampleMemory {
    View<StateOf<Problem>> state;
    View<float> models;  ///< capacity for the largest round, kMostModels x kModel for each sample
    View<std::uint32_t> n_models;  ///< for each sample
    /// Number of the round's samples that the fast solver left unsolved, and their list, in any
    /// order.
    View<std::uint32_t> n_unsure, unsure;

    /// Memory for rounds of up to `most` samples.
    [[nodiscard]] static SampleMemory take(Scratch& scratch, std::uint32_t most) {
        return {scratch.take<StateOf<Problem>>(1),
                scratch.take<float>(std::size_t{most} * Problem::kMostModels * Problem::kModel),
                scratch.take<std::uint32_t>(most), scratch.take<std::uint32_t>(1),
                scratch.take<std::uint32_t>(most)};
    }
    [[nodiscard]] TL_D float* model(std::uint32_t sample, std::uint32_t k) const {
        return models.data + (std::size_t{sample} * Problem::kMostModels + k) * Problem::kModel;
    }
    /// Number of samples left to the slower solver; 0 unless they are most of the round. A few
    /// samples without models are no loss, since others are as good. If the matches determine no
    /// pose, most samples are left.
    [[nodiscard]] TL_D std::uint32_t n_left() const {
        return 2 * n_unsure.data[0] > state.data[0].n_now ? n_unsure.data[0] : 0;
    }
};

/// Reads a match's coordinates.
template <class Problem>
TL_D void load_match(const MatchView& matches, std::uint32_t index, double* to) {
    for (int k = 0; k < Problem::kCoordinates; ++k)
        to[k] = matches.exact.data[k * matches.stride + index];
}

/// The matches of a sample, one after the other.
template <class Problem>
TL_D void load_sample(const MatchView& matches, std::uint64_t seed, std::uint64_t number,
                      double* to) {
    std::uint32_t indices[Problem::kSample];
    draw_sample<Problem::kSample>(seed, number, matches.count, indices);
    for (int i = 0; i < Problem::kSample; ++i)
        load_match<Problem>(matches, indices[i], to + i * Problem::kCoordinates);
}

/// Writes the models of the samples in a team's lanes.
template <class Problem>
struct ModelWriter {
    SampleMemory<Problem> memory;
    const std::uint32_t* samples;  ///< sample of each lane

    TL_D void model(typename SolverTeam::Mask want, const typename SolverTeam::Real* m) {
        for (int lane = 0; lane < kLanes<double>; ++lane) {
            if (!lane_is_in(want, lane)) continue;
            float* to = memory.model(samples[lane], memory.n_models.data[samples[lane]]++);
            for (int j = 0; j < Problem::kModel; ++j)
                to[j] = static_cast<float>(of_lane(m[j], lane));
        }
    }
};

/// Solves samples of the round, one in each lane: those of `samples` whose lane is `there`. Returns
/// those that Sturm's chain has left. Threads of a warp do so together.
template <class Problem, SampleSolver kSolver>
TL_D typename SolverTeam::Mask solve_lanes(const SampleMemory<Problem>& memory,
                                           const MatchView& matches, std::uint64_t seed,
                                           const std::uint32_t* samples, const bool* there) {
    constexpr int kNumbers = Problem::kSample * Problem::kCoordinates;
    Lanes<double> sample[kNumbers], valid(0.0);
    for (int lane = 0; lane < kLanes<double>; ++lane) {
        double own[kNumbers];
        std::uint64_t number = memory.state.data[0].n_samples + (there[lane] ? samples[lane] : 0);
        load_sample<Problem>(matches, seed, number, own);
        for (int i = 0; i < kNumbers; ++i) set_lane(sample[i], lane, own[i]);
        set_lane(valid, lane, there[lane] ? 1.0 : 0.0);
        if (there[lane]) memory.n_models.data[samples[lane]] = 0;
    }
    ModelWriter<Problem> writer{memory, samples};
    auto wanted = valid > Lanes<double>(0.0);
    if constexpr (kSolver == SampleSolver::sturm) {
        typename Problem::template FastStorage<Lanes<double>> storage;
        return Problem::solve_fast(SolverTeam(), sample, wanted, storage, writer);
    } else {
        typename Problem::template Storage<Lanes<double>> storage;
        if constexpr (kSolver == SampleSolver::action_qr)
            Problem::template solve<true>(SolverTeam(), sample, wanted, storage, writer);
        else
            Problem::solve(SolverTeam(), sample, wanted, storage, writer);
        return !(wanted | !wanted);
    }
}

/// Solves the samples of a round from sample `first` on, or of its list, that are in the lanes of a
/// team; those that Sturm's chain leaves are appended to the list. Their order, which changes, has
/// no effect.
template <class Problem, SampleSolver kSolver>
TL_D void solve_team(const SampleMemory<Problem>& memory, const MatchView& matches,
                     std::uint64_t seed, std::uint32_t first, std::uint32_t count, bool listed) {
    std::uint32_t samples[kLanes<double>];
    bool there[kLanes<double>];
    for (int lane = 0; lane < kLanes<double>; ++lane) {
        std::uint32_t item = first + static_cast<std::uint32_t>(lane);
        there[lane] = item < count;
        samples[lane] = listed && there[lane] ? memory.unsure.data[item] : item;
    }
    auto left = solve_lanes<Problem, kSolver>(memory, matches, seed, samples, there);
    constexpr bool kLeaves = kSolver == SampleSolver::sturm;
    for (int lane = 0; kLeaves && lane < kLanes<double>; ++lane)
        if (lane_is_in(left, lane))
            memory.unsure.data[atomic_append(memory.n_unsure.data)] = samples[lane];
}

#if defined(__CUDACC__)

constexpr unsigned kSolveThreads = 64;

template <class Problem, SampleSolver kSolver>
__global__ void __launch_bounds__(kSolveThreads)
    solve_samples_kernel(SampleMemory<Problem> memory, MatchView matches, std::uint64_t seed,
                         bool listed) {
    const std::uint32_t count = listed ? memory.n_left() : memory.state.data[0].n_now;
    for (std::uint32_t first = blockIdx.x * kSolveThreads; first < count;
         first += gridDim.x * kSolveThreads)
        solve_team<Problem, kSolver>(memory, matches, seed, first + threadIdx.x, count, listed);
}

template <class Problem, SampleSolver kSolver>
void launch_solver(Stream& stream, const SampleMemory<Problem>& memory, const MatchView& matches,
                   std::uint64_t seed, std::uint32_t capacity, bool listed) {
    constexpr unsigned kMostBlocksOfList = 1024;
    unsigned n_blocks = blocks_for(capacity, kSolveThreads);
    launch(stream, listed ? "solve doubtful samples" : "solve samples",
           listed ? std::min(n_blocks, kMostBlocksOfList) : n_blocks, kSolveThreads,
           solve_samples_kernel<Problem, kSolver>, memory, matches, seed, listed);
}

#else

template <class Problem, SampleSolver kSolver>
void launch_solver(Stream& stream, const SampleMemory<Problem>& memory, const MatchView& matches,
                   std::uint64_t seed, std::uint32_t /*capacity*/, bool listed) {
    constexpr std::uint32_t kStep = kLanes<double>, kGrain = 2;
    const std::uint32_t count = listed ? memory.n_left() : memory.state.data[0].n_now;
    parallel_for(
        stream, "solve samples", (count + kStep - 1) / kStep,
        [=](std::uint32_t group) {
            solve_team<Problem, kSolver>(memory, matches, seed, group * kStep, count, listed);
        },
        kGrain);
}

#endif

/// Solves a round, which has at most `capacity` samples, by the solver chosen where there are
/// several; by the action matrix also where Sturm's chain has left most samples.
template <class Problem>
void solve_samples(Stream& stream, const SampleMemory<Problem>& memory, const MatchView& matches,
                   std::uint64_t seed, std::uint32_t capacity, SampleSolver solver) {
    constexpr auto kAction = SampleSolver::action;
    stream.device().fill_zero(stream, memory.n_unsure.data, sizeof(std::uint32_t));
    if constexpr (Problem::kHasReflectors) {
        if (solver == SampleSolver::action_qr)
            return launch_solver<Problem, SampleSolver::action_qr>(stream, memory, matches, seed,
                                                                   capacity, false);
    }
    if constexpr (Problem::kHasFast) {
        if (solver == SampleSolver::sturm) {
            launch_solver<Problem, SampleSolver::sturm>(stream, memory, matches, seed, capacity,
                                                        false);
            return launch_solver<Problem, kAction>(stream, memory, matches, seed, capacity, true);
        }
    }
    launch_solver<Problem, kAction>(stream, memory, matches, seed, capacity, false);
}

/// The solver chosen, or else that of a mode.
inline SampleSolver chosen_solver(const RansacTask& task, SampleSolver of_mode) {
    return task.solver == SampleSolver::automatic ? of_mode : task.solver;
}

}  // namespace pose

TL_DEVICE_END
