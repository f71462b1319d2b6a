// RANSAC (Fischler and Bolles 1981) in rounds of samples, for any problem, with all steps of a
// round and the decision to end on the device: minimal solver; the gain of MSAC over the matches;
// refinement of a round's best models on all matches, of matrices by a linear fit first (LO-RANSAC;
// Chum, Matas and Kittler 2003); and refinement by exact distances at the end. Results depend on
// the seed alone, not on the number of threads.
#pragma once

#include "solvers/pose/ransac/best_pose.h"
#include "solvers/pose/ransac/linear_fit.h"
#include "solvers/pose/ransac/ransac_scores.h"

TL_DEVICE_BEGIN

namespace pose {

/// Samples of the first and of the largest round; how many of its models are refined on all
/// matches.
#if defined(__CUDACC__)
inline constexpr std::uint32_t kFirstRound = 1024, kLargestRound = 1 << 17, kCandidates = 8;
inline constexpr int kSelectThreads = 1024;
#else
// Half of the time of two cores is refinement with two candidates for 64 samples, half of whose
// matches are wrong.
inline constexpr std::uint32_t kFirstRound = 64, kLargestRound = 4096, kCandidates = 2;
inline constexpr int kSelectThreads = 1;
#endif

/// A refined candidate of a round.
template <class Pose>
struct Refined {
    Pose pose;
    double gain;
    std::uint32_t n_inliers;
};

/// Device memory of a run.
template <class Problem>
struct RansacMemory {
    SampleMemory<Problem> samples;
    View<std::uint64_t> best;    ///< for each sample: gain's bits, then the number of the model
    View<std::uint64_t> chosen;  ///< the candidates: gain's bits, then the number of the sample
    View<Refined<typename Problem::Pose>> refined;
};

/// Selects the samples of the round with the highest gains.
template <class Pose>
struct SelectCandidates {
    struct Shared {
        std::uint64_t lowest;  ///< complement of the highest key
        std::uint32_t n_models;
    };
    View<RansacState<Pose>> state;
    View<const std::uint64_t> best;
    View<const std::uint32_t> n_models;
    View<std::uint64_t> chosen;

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        const std::uint32_t n_now = state.data[0].n_now;
        std::uint64_t before = ~std::uint64_t{0};
        if (block.rank == 0) shared.n_models = 0;
        for (std::uint32_t c = 0; c < kCandidates; ++c) {
            if (block.rank == 0) shared.lowest = ~std::uint64_t{0};
            block.sync();
            std::uint64_t own = 0;
            std::uint32_t models = 0;
            for (std::uint32_t i = block.rank; i < n_now; i += Block::size) {
                float gain = gain_of_key(best.data[i]);
                std::uint64_t key = gain > 0 ? gain_key(gain, i) : 0;
                if (key > own && key < before) own = key;
                if (c == 0) models += n_models.data[i];
            }
            block_min(&shared.lowest, ~own);
            if (c == 0) block_add(&shared.n_models, models);
            block.sync();
            before = ~shared.lowest;
            if (block.rank == 0) chosen.data[c] = before;
            block.sync();
        }
        if (block.rank == 0) state.data[0].n_models += shared.n_models;
    }
};

/// Refines the candidates, a block for each.
template <class Problem>
struct RefineCandidates {
    using Shared = RefineShared<Problem>;
    RansacMemory<Problem> memory;
    MatchView matches;
    RansacLimits limits;

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        const StateOf<Problem>& state = memory.samples.state.data[0];
        Refined<typename Problem::Pose>& refined = memory.refined.data[block.index];
        const std::uint64_t chosen = state.n_now > 0 ? memory.chosen.data[block.index] : 0;
        if (chosen == 0) {
            if (block.rank == 0) refined.gain = 0;
            return;
        }
        const std::uint32_t number = number_of_key(chosen);
        if (block.rank == 0) {
            const float* model =
                memory.samples.model(number, number_of_key(memory.best.data[number]));
            std::uint32_t indices[Problem::kSample];
            draw_sample<Problem::kSample>(limits.seed, state.n_samples + number, matches.count,
                                          indices);
            shared.pose = Problem::pose_of(
                model, [&](int i, double* to) { load_match<Problem>(matches, indices[i], to); });
        }
        // Minimal samples of noisy points have larger errors than the matches.
        constexpr double kWide = 2;
        constexpr int kWideSteps = 3, kSteps = 5;
        if constexpr (Problem::kHasLinear)
            fit_linear(block, shared, matches, kWide * limits.threshold);
        else
            refine<Problem, false>(block, shared, matches, kWide * limits.threshold, kWideSteps);
        block.sync();
        refine<Problem, false>(block, shared, matches, limits.threshold, kSteps);
        block.sync();
        if (block.rank == 0)
            refined = {shared.pose, shared.sums[0], static_cast<std::uint32_t>(shared.sums[1])};
    }
};

/// Ends a round: keeps the best pose, and sets the number of samples of the next one.
template <class Problem>
struct EndRound {
    RansacMemory<Problem> memory;
    RansacLimits limits;
    std::uint32_t count, next_capacity;

    TL_D void operator()(std::uint32_t /*i*/) const {
        StateOf<Problem>& state = memory.samples.state.data[0];
        if (state.n_now == 0) return;
        for (std::uint32_t c = 0; c < kCandidates; ++c) {
            const Refined<typename Problem::Pose>& refined = memory.refined.data[c];
            if (!(refined.gain > state.gain)) continue;
            state.best = refined.pose;
            state.gain = refined.gain;
            state.n_inliers = refined.n_inliers;
        }
        float raw = gain_of_key(memory.chosen.data[0]);
        if (raw > state.raw_gain) state.raw_gain = raw;
        // Later rounds have about the same fraction.
        if (state.n_samples == 0 && memory.samples.n_left() == 0)
            state.solved = 1 - static_cast<double>(memory.samples.n_unsure.data[0]) / state.n_now;
        state.n_samples += state.n_now;
        state.n_needed = needed_samples<Problem>(state, count, limits);
        std::uint64_t left =
            state.n_needed > state.n_samples ? state.n_needed - state.n_samples : 0;
        state.n_now = left < next_capacity ? static_cast<std::uint32_t>(left) : next_capacity;
    }
};

template <class Problem>
RansacResult<typename Problem::Pose> ransac(Stream& stream, const RansacTask& task,
                                            SolverRun& run) {
    using Pose = typename Problem::Pose;
    const MatchView& matches = task.matches;
    const RansacLimits& limits = task.limits;
    auto largest = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max(kFirstRound, kLargestRound), limits.most_samples));
    Scratch scratch(stream);
    RansacMemory<Problem> memory{
        SampleMemory<Problem>::take(scratch, largest), scratch.take<std::uint64_t>(largest),
        scratch.take<std::uint64_t>(kCandidates), scratch.take<Refined<Pose>>(kCandidates)};
    auto& samples = memory.samples;
    RansacState<Pose> state;
    state.n_now = std::min(kFirstRound, largest);
    stream.device().upload(stream, samples.state.data, &state, sizeof state);
    StageTimer timer(stream);
    timer.enable(task.timed);
    timer.begin_frame();
    // Two rounds are launched at a time. The device alone decides whether the second one runs, and
    // the host reads the state only afterwards. Later rounds are larger.
    std::uint32_t capacity = state.n_now;
    constexpr std::uint32_t kGrowth = 4;
    for (int round = 0; state.n_now > 0; ++round) {
        run.report(std::min(1.0, static_cast<double>(state.n_samples) /
                                     static_cast<double>(std::max<std::uint64_t>(
                                         state.n_needed, state.n_samples + state.n_now))));
        std::uint32_t next = std::min(capacity * kGrowth, largest);
        {
            StageTimer::Scope stage(timer, "solve");
            solve_samples(stream, samples, matches, limits.seed, capacity,
                          chosen_solver(task, SampleSolver::sturm));
        }
        {
            StageTimer::Scope stage(timer, "score");
            score_samples(stream, samples, matches, limits.threshold, capacity, memory.best);
        }
        {
            StageTimer::Scope stage(timer, "choose");
            launch_blocks<kSelectThreads>(stream, "select candidates", 1,
                                          SelectCandidates<Pose>{samples.state, memory.best,
                                                                 samples.n_models, memory.chosen});
        }
        {
            StageTimer::Scope stage(timer, "refine");
            launch_blocks<kRefineThreads>(stream, "refine candidates", kCandidates,
                                          RefineCandidates<Problem>{memory, matches, limits});
            parallel_for(stream, "end round", 1,
                         EndRound<Problem>{memory, limits, matches.count, next});
        }
        capacity = next;
        if (round % 2 == 1 || stream.device().kind() == DeviceKind::cpu)
            stream.device().download(stream, &state, samples.state.data, sizeof state);
    }
    {
        StageTimer::Scope stage(timer, "refine the best");
        constexpr int kSteps = 20;
        finish_pose<Problem>(stream, samples.state, task, kSteps);
    }
    timer.end_frame();
    stream.device().download(stream, &state, samples.state.data, sizeof state);
    timer.flush();
    return {state, timer.latest()};
}

}  // namespace pose

TL_DEVICE_END
