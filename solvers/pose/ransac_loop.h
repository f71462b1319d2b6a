// RANSAC (Fischler and Bolles 1981) in rounds of samples, for any problem, with all steps of a
// round and the decision to end on the device: minimal solver; the gain of MSAC over the matches,
// given up early for models that are clearly worse than the best one (after Chum and Matas 2008);
// refinement of a round's best models on all matches (LO-RANSAC; Chum, Matas and Kittler 2003); and
// refinement by exact distances at the end. Results depend on the seed alone, not on the number of
// threads.
#pragma once

#include <algorithm>

#include "accel/parallel/block.h"
#include "solvers/pose/refine_pose.h"
#include "solvers/pose/sample_matches.h"
#if defined(__CUDACC__)
#include "accel/parallel/launch_cuda.h"
#endif

TL_DEVICE_BEGIN

namespace pose {

/// Samples of the first and of the largest round; how many of its models are refined on all
/// matches.
#if defined(__CUDACC__)
inline constexpr std::uint32_t kFirstRound = 1024, kLargestRound = 1 << 17, kCandidates = 8;
inline constexpr int kRefineThreads = 256, kSelectThreads = 1024;
#else
// Half of the time of two cores is refinement with two candidates for 64 samples, half of whose
// matches are wrong.
inline constexpr std::uint32_t kFirstRound = 64, kLargestRound = 4096, kCandidates = 2;
inline constexpr int kRefineThreads = 1, kSelectThreads = 1;
#endif

/// A refined candidate of a round.
struct Refined {
    CameraPose pose;
    double gain;
    std::uint32_t n_inliers;
};

/// Device memory of a run.
template <class Problem>
struct RansacMemory {
    View<RansacState> state;
    View<float> models;            ///< kLargestRound x kMostModels x kModel
    View<std::uint32_t> n_models;  ///< of each sample
    /// How many samples of the round are left to the slower solver, and which, in any order.
    View<std::uint32_t> n_unsure, unsure;
    View<std::uint64_t> best;    ///< of each sample: gain's bits, then the number of the model
    View<std::uint64_t> chosen;  ///< the candidates: gain's bits, then the number of the sample
    View<Refined> refined;
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

/// Writes the models of the samples in a team's lanes, from `first` of the round on.
template <class Problem>
struct ModelWriter {
    RansacMemory<Problem> memory;
    std::uint32_t first;

    TL_D void model(typename SolverTeam::Mask want, const typename SolverTeam::Real* m) {
        for (int lane = 0; lane < kLanes<double>; ++lane) {
            if (!lane_is_in(want, lane)) continue;
            std::uint32_t sample = first + static_cast<std::uint32_t>(lane);
            std::uint32_t& n = memory.n_models.data[sample];
            float* to = memory.models.data +
                        (std::size_t{sample} * Problem::kMostModels + n++) * Problem::kModel;
            for (int j = 0; j < Problem::kModel; ++j)
                to[j] = static_cast<float>(of_lane(m[j], lane));
        }
    }
};

/// What the solvers of a problem work in.
template <class Problem, class Real>
union SolverStorage {
    typename Problem::template FastStorage<Real> fast;
    typename Problem::template Storage<Real> sure;

    TL_D SolverStorage() {}
};

/// Whether a model with this gain after the first `n_seen` of all matches is left alone: one as
/// good as the best so far would fall that far below its mean once in 30,000 times.
TL_D inline bool is_hopeless(float gain, float best_gain, std::uint32_t n_seen,
                             std::uint32_t count) {
    float expected = best_gain * static_cast<float>(n_seen) / static_cast<float>(count);
    return gain < expected - 4 * sqrtf(expected);
}

/// A gain and a number in one, which sort by the gain, and by the lower number where these are
/// equal. Gains are not negative.
TL_D inline std::uint64_t gain_key(float gain, std::uint32_t number) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(gain)} << 32 | (~number & 0xffffffffu);
}
TL_D inline float gain_of_key(std::uint64_t key) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
}
TL_D inline std::uint32_t number_of_key(std::uint64_t key) {
    return ~static_cast<std::uint32_t>(key);
}

/// Gains are summed over matches in steps of this many, after each of which a model can be left.
inline constexpr std::uint32_t kScored = 128;

/// The gain of matches c under a model; 0 for outliers and where a coordinate is NaN.
template <class Problem>
TL_D Lanes<float> gain_of(const float* model, const MatchView& matches, std::uint32_t i,
                          float inverse) {
    Lanes<float> c[Problem::kCoordinates];
    for (int k = 0; k < Problem::kCoordinates; ++k)
        c[k] = load_lanes(matches.rounded.data + k * matches.stride + i);
    Lanes<float> gain =
        Lanes<float>(1.0f) - Problem::squared_error(model, c) * Lanes<float>(inverse);
    return eigen::select(gain > Lanes<float>(0.0f), gain, Lanes<float>(0.0f));
}

#if defined(__CUDACC__)

constexpr unsigned kSolveThreads = 64, kScoreThreads = 256;

/// Solves sample number `index` of the round, where `there`. Threads of a warp do so together.
template <class Problem, bool kFast>
__device__ bool solve_sample(const RansacMemory<Problem>& memory, const MatchView& matches,
                             std::uint64_t seed, std::uint32_t index, bool there) {
    double sample[Problem::kSample * Problem::kCoordinates];
    load_sample<Problem>(matches, seed, memory.state.data[0].n_samples + (there ? index : 0),
                         sample);
    if (there) memory.n_models.data[index] = 0;
    ModelWriter<Problem> writer{memory, index};
    if constexpr (kFast) {
        typename Problem::template FastStorage<double> storage;
        return Problem::solve_fast(SolverTeam(), sample, there, storage, writer);
    } else {
        typename Problem::template Storage<double> storage;
        Problem::solve(SolverTeam(), sample, there, storage, writer);
        return false;
    }
}

/// Solves all samples by the fast solver; those that it leaves are appended to `unsure`. Their
/// order, which changes, has no effect.
template <class Problem>
__global__ void __launch_bounds__(kSolveThreads)
    solve_fast_kernel(RansacMemory<Problem> memory, MatchView matches, std::uint64_t seed) {
    const std::uint32_t n_now = memory.state.data[0].n_now;
    if (blockIdx.x * kSolveThreads >= n_now) return;
    std::uint32_t index = blockIdx.x * kSolveThreads + threadIdx.x;
    if (solve_sample<Problem, true>(memory, matches, seed, index, index < n_now))
        memory.unsure.data[atomic_append(memory.n_unsure.data)] = index;
}

/// Solves the samples that the fast solver has left, where `listed`, or all.
template <class Problem>
__global__ void __launch_bounds__(kSolveThreads)
    solve_samples_kernel(RansacMemory<Problem> memory, MatchView matches, std::uint64_t seed,
                         bool listed) {
    const std::uint32_t n = listed ? memory.n_unsure.data[0] : memory.state.data[0].n_now;
    for (std::uint32_t first = blockIdx.x * kSolveThreads; first < n;
         first += gridDim.x * kSolveThreads) {
        std::uint32_t item = first + threadIdx.x;
        bool there = item < n;
        std::uint32_t index = listed && there ? memory.unsure.data[item] : item;
        (void)solve_sample<Problem, false>(memory, matches, seed, index, there);
    }
}

/// A warp for each sample.
template <class Problem>
__global__ void __launch_bounds__(kScoreThreads)
    score_samples_kernel(RansacMemory<Problem> memory, MatchView matches, float inverse) {
    const RansacState& state = memory.state.data[0];
    std::uint32_t sample = blockIdx.x * (kScoreThreads / 32) + threadIdx.x / 32;
    std::uint32_t lane = threadIdx.x % 32;
    if (sample >= state.n_now) return;
    std::uint64_t best = 0;
    std::uint32_t n_models = memory.n_models.data[sample];
    for (std::uint32_t k = 0; k < n_models; ++k) {
        float model[Problem::kModel];
        for (int j = 0; j < Problem::kModel; ++j)
            model[j] =
                memory.models
                    .data[(std::size_t{sample} * Problem::kMostModels + k) * Problem::kModel + j];
        float total = 0;
        for (std::uint32_t from = 0; from < matches.count; from += kScored) {
            float sum = 0;
            for (std::uint32_t i = from + lane; i < from + kScored && i < matches.count; i += 32)
                sum += gain_of<Problem>(model, matches, i, inverse);
            for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
            total += sum;
            if (is_hopeless(total, state.raw_gain, from + kScored, matches.count)) break;
        }
        std::uint64_t key = gain_key(total, k);
        best = key > best ? key : best;
    }
    if (lane == 0) memory.best.data[sample] = best;
}

template <class Problem>
void solve_and_score(Stream& stream, const RansacMemory<Problem>& memory, const MatchView& matches,
                     const RansacLimits& limits, std::uint32_t capacity) {
    auto inverse = static_cast<float>(1 / (limits.threshold * limits.threshold));
    unsigned n_blocks = blocks_for(capacity, kSolveThreads);
    bool listed = false;
    if constexpr (Problem::kHasFast) {
        // The fast solver leaves less than a tenth. In rounds that do not fill the GPU one kernel
        // is sooner done than two.
        constexpr unsigned kShareLeft = 8, kFastFrom = 1 << 15;
        listed = capacity >= kFastFrom;
        if (listed) {
            launch(stream, "solve samples by the fast solver", n_blocks, kSolveThreads,
                   solve_fast_kernel<Problem>, memory, matches, limits.seed);
            n_blocks = (n_blocks + kShareLeft - 1) / kShareLeft;
        }
    }
    launch(stream, "solve samples", n_blocks, kSolveThreads, solve_samples_kernel<Problem>, memory,
           matches, limits.seed, listed);
    launch(stream, "score models", blocks_for(capacity, kScoreThreads / 32), kScoreThreads,
           score_samples_kernel<Problem>, memory, matches, inverse);
}

#else

/// Solves the samples of the round from `first` on, one in each lane.
template <class Problem>
void solve_samples(const RansacMemory<Problem>& memory, const MatchView& matches,
                   std::uint64_t seed, std::uint32_t first,
                   SolverStorage<Problem, Lanes<double>>& storage) {
    constexpr int kNumbers = Problem::kSample * Problem::kCoordinates;
    const RansacState& state = memory.state.data[0];
    Lanes<double> sample[kNumbers], there(0.0);
    for (int lane = 0; lane < kLanes<double>; ++lane) {
        auto number = first + static_cast<std::uint32_t>(lane);
        if (number < state.n_now) {
            there.v[lane] = 1;
            memory.n_models.data[number] = 0;
        }
        double own[kNumbers];
        load_sample<Problem>(matches, seed, state.n_samples + (number < state.n_now ? number : 0),
                             own);
        for (int i = 0; i < kNumbers; ++i) sample[i].v[lane] = own[i];
    }
    ModelWriter<Problem> writer{memory, first};
    auto valid = there > Lanes<double>(0.0);
    if constexpr (Problem::kHasFast)
        valid = Problem::solve_fast(SolverTeam(), sample, valid, storage.fast, writer);
    if (eigen::any_of(valid)) Problem::solve(SolverTeam(), sample, valid, storage.sure, writer);
}

template <class Problem>
void score_sample(const RansacMemory<Problem>& memory, const MatchView& matches, float inverse,
                  std::uint32_t sample) {
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<float>);
    const float raw_gain = memory.state.data[0].raw_gain;
    std::uint64_t best = 0;
    for (std::uint32_t k = 0; k < memory.n_models.data[sample]; ++k) {
        const float* model =
            memory.models.data + (std::size_t{sample} * Problem::kMostModels + k) * Problem::kModel;
        float total = 0;
        for (std::uint32_t from = 0; from < matches.count; from += kScored) {
            Lanes<float> sum(0.0f);
            std::uint32_t end = std::min(from + kScored, matches.count);
            for (std::uint32_t i = from; i < end; i += kStep)
                sum += gain_of<Problem>(model, matches, i, inverse);
            total += sum_of_lanes(sum);
            if (is_hopeless(total, raw_gain, from + kScored, matches.count)) break;
        }
        best = std::max(best, gain_key(total, k));
    }
    memory.best.data[sample] = best;
}

template <class Problem>
void solve_and_score(Stream& stream, const RansacMemory<Problem>& memory, const MatchView& matches,
                     const RansacLimits& limits, std::uint32_t /*capacity*/) {
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<double>);
    auto inverse = static_cast<float>(1 / (limits.threshold * limits.threshold));
    std::uint32_t n_now = memory.state.data[0].n_now;
    auto solve_group = [=](std::uint32_t group) {
        SolverStorage<Problem, Lanes<double>> storage;
        std::uint32_t first = group * kStep;
        solve_samples(memory, matches, limits.seed, first, storage);
        for (std::uint32_t sample = first; sample < std::min(first + kStep, n_now); ++sample)
            score_sample(memory, matches, inverse, sample);
    };
    parallel_for(stream, "solve and score samples", (n_now + kStep - 1) / kStep, solve_group, 2);
}

#endif

/// Selects the samples of the round with the highest gains.
struct SelectCandidates {
    struct Shared {
        std::uint64_t lowest;  ///< complement of the highest key
        std::uint32_t n_models;
    };
    View<RansacState> state;
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
        const RansacState& state = memory.state.data[0];
        Refined& refined = memory.refined.data[block.index];
        const std::uint64_t chosen = state.n_now > 0 ? memory.chosen.data[block.index] : 0;
        if (chosen == 0) {
            if (block.rank == 0) refined.gain = 0;
            return;
        }
        const std::uint32_t number = number_of_key(chosen);
        if (block.rank == 0) {
            const float* model = memory.models.data + (std::size_t{number} * Problem::kMostModels +
                                                       number_of_key(memory.best.data[number])) *
                                                          Problem::kModel;
            std::uint32_t indices[Problem::kSample];
            draw_sample<Problem::kSample>(limits.seed, state.n_samples + number, matches.count,
                                          indices);
            shared.pose = Problem::pose_of(
                model, [&](int i, double* to) { load_match<Problem>(matches, indices[i], to); });
        }
        // Minimal samples of noisy points are off by more than the matches are.
        constexpr double kWide = 2;
        constexpr int kWideSteps = 3, kSteps = 5;
        refine<Problem, false>(block, shared, matches, kWide * limits.threshold, kWideSteps);
        block.sync();
        refine<Problem, false>(block, shared, matches, limits.threshold, kSteps);
        block.sync();
        if (block.rank == 0)
            refined = {shared.pose, shared.sums[0], static_cast<std::uint32_t>(shared.sums[1])};
    }
};

/// Samples after which one without outliers was drawn with the confidence asked for, if
/// `n_inliers` of `count` matches are right; at most limits.most_samples.
template <class Problem>
TL_HD std::uint64_t needed_samples(std::uint32_t n_inliers, std::uint32_t count,
                                   const RansacLimits& limits) {
    double p = 1;  // of a sample without outliers
    for (int i = 0; i < Problem::kSample; ++i)
        p *= static_cast<double>(n_inliers) / static_cast<double>(count);
    double needed = p >= 1 ? 1 : p > 0 ? log(1 - limits.confidence) / log1p(-p) : 1e18;
    double most = static_cast<double>(limits.most_samples);
    return static_cast<std::uint64_t>(ceil(needed < most ? needed : most));
}

/// Ends a round: keeps the best pose, and decides how many samples the next one has.
template <class Problem>
struct EndRound {
    RansacMemory<Problem> memory;
    RansacLimits limits;
    std::uint32_t count, next_capacity;

    TL_D void operator()(std::uint32_t /*i*/) const {
        RansacState& state = memory.state.data[0];
        if (state.n_now == 0) return;
        memory.n_unsure.data[0] = 0;
        for (std::uint32_t c = 0; c < kCandidates; ++c) {
            const Refined& refined = memory.refined.data[c];
            if (!(refined.gain > state.gain)) continue;
            state.best = refined.pose;
            state.gain = refined.gain;
            state.n_inliers = refined.n_inliers;
        }
        float raw = gain_of_key(memory.chosen.data[0]);
        if (raw > state.raw_gain) state.raw_gain = raw;
        state.n_samples += state.n_now;
        state.n_needed = needed_samples<Problem>(state.n_inliers, count, limits);
        std::uint64_t left =
            state.n_needed > state.n_samples ? state.n_needed - state.n_samples : 0;
        state.n_now = left < next_capacity ? static_cast<std::uint32_t>(left) : next_capacity;
    }
};

/// Whether a match is at most `threshold` from where the pose of `frame` has it.
template <class Problem>
TL_D bool is_inlier(const typename Problem::Frame& frame, const double* c, double threshold) {
    double r[Problem::kResiduals], squares = 0;
    Problem::template residual<true, false>(frame, c, r, static_cast<double*>(nullptr));
    for (double residual : r) squares += residual * residual;
    return squares < threshold * threshold;
}

/// Refines the best pose by exact distances, with one block. Of the poses that have the same errors
/// it takes the one with most inliers before the cameras.
template <class Problem>
struct RefineBest {
    struct Shared {
        RefineShared<Problem> refine;
        std::uint32_t n_before[Problem::kPoses];
    };
    View<RansacState> state;
    MatchView matches;
    RansacLimits limits;
    int most_steps;

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        RansacState& own = state.data[0];
        if (!(own.gain > 0)) return;
        if (block.rank == 0) {
            shared.refine.pose = own.best;
            for (auto& n : shared.n_before) n = 0;
        }
        refine<Problem, true>(block, shared.refine, matches, limits.threshold, most_steps);
        block.sync();
        const CameraPose pose = shared.refine.pose;
        const auto frame = Problem::frame_of(pose);
        for (std::uint32_t i = block.rank; Problem::kPoses > 1 && i < matches.count;
             i += Block::size) {
            double c[Problem::kCoordinates];
            load_match<Problem>(matches, i, c);
            if (!is_inlier<Problem>(frame, c, limits.threshold)) continue;
            for (int k = 0; k < Problem::kPoses; ++k)
                if (Problem::before(Problem::same_errors(pose, k), c))
                    block_add(&shared.n_before[k], 1);
        }
        block.sync();
        if (block.rank != 0) return;
        int best = 0;
        for (int k = 1; k < Problem::kPoses; ++k)
            if (shared.n_before[k] > shared.n_before[best]) best = k;
        own.best = Problem::same_errors(pose, best);
        own.gain = shared.refine.sums[0];
        own.n_inliers = static_cast<std::uint32_t>(shared.refine.sums[1]);
    }
};

/// Marks the matches of the best pose: near enough, and before the cameras.
template <class Problem>
struct MarkInliers {
    View<const RansacState> state;
    MatchView matches;
    RansacLimits limits;
    View<std::uint8_t> inliers;

    TL_D void operator()(std::uint32_t i) const {
        const RansacState& own = state.data[0];
        double c[Problem::kCoordinates];
        load_match<Problem>(matches, i, c);
        bool near = is_inlier<Problem>(Problem::frame_of(own.best), c, limits.threshold);
        inliers.data[i] = own.gain > 0 && near && Problem::before(own.best, c) ? 1 : 0;
    }
};

template <class Problem>
RansacState ransac(Stream& stream, const MatchView& matches, const RansacLimits& limits,
                   View<std::uint8_t> inliers, SolverRun& run) {
    auto largest = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::max(kFirstRound, kLargestRound), limits.most_samples));
    Scratch scratch(stream);
    RansacMemory<Problem> memory{
        scratch.take<RansacState>(1),
        scratch.take<float>(std::size_t{largest} * Problem::kMostModels * Problem::kModel),
        scratch.take<std::uint32_t>(largest),
        scratch.take<std::uint32_t>(1),
        scratch.take<std::uint32_t>(largest),
        scratch.take<std::uint64_t>(largest),
        scratch.take<std::uint64_t>(kCandidates),
        scratch.take<Refined>(kCandidates)};
    RansacState state;
    state.n_now = std::min(kFirstRound, largest);
    stream.device().upload(stream, memory.state.data, &state, sizeof state);
    stream.device().fill_zero(stream, memory.n_unsure.data, sizeof(std::uint32_t));
    // Two rounds are given to the device at a time: it alone decides whether the second takes
    // place, and the host asks only then. Later rounds are larger.
    std::uint32_t capacity = state.n_now;
    constexpr std::uint32_t kGrowth = 4;
    for (int round = 0; state.n_now > 0; ++round) {
        run.report(std::min(1.0, static_cast<double>(state.n_samples) /
                                     static_cast<double>(std::max<std::uint64_t>(
                                         state.n_needed, state.n_samples + state.n_now))));
        std::uint32_t next = std::min(capacity * kGrowth, largest);
        solve_and_score(stream, memory, matches, limits, capacity);
        launch_blocks<kSelectThreads>(
            stream, "select candidates", 1,
            SelectCandidates{memory.state, memory.best, memory.n_models, memory.chosen});
        launch_blocks<kRefineThreads>(stream, "refine candidates", kCandidates,
                                      RefineCandidates<Problem>{memory, matches, limits});
        parallel_for(stream, "end round", 1,
                     EndRound<Problem>{memory, limits, matches.count, next});
        capacity = next;
        if (round % 2 == 1 || stream.device().kind() == DeviceKind::cpu)
            stream.device().download(stream, &state, memory.state.data, sizeof state);
    }
    constexpr int kSteps = 20;
    launch_blocks<kRefineThreads>(stream, "refine the best pose", 1,
                                  RefineBest<Problem>{memory.state, matches, limits, kSteps});
    parallel_for(stream, "mark inliers", matches.count,
                 MarkInliers<Problem>{memory.state, matches, limits, inliers});
    stream.device().download(stream, &state, memory.state.data, sizeof state);
    return state;
}

}  // namespace pose

TL_DEVICE_END
