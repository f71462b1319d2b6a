// RANSAC in the stages of Cvrcek 2016 (chapters 6.3 and 7): minimal solver, decomposition,
// triangulation, errors and count. Each stage is a kernel over all hypotheses of a batch and passes
// its results on in memory. Two batches run concurrently on their own streams, so that the solver
// of one overlaps with the verification of the other. In the modes split and hybrid the models of a
// batch come from the host.
#pragma once

#include <chrono>
#include <memory>

#include "core/device/pinned_array.h"
#include "solvers/pose/ransac/best_pose.h"
#include "solvers/pose/ransac/host_solver.h"

TL_DEVICE_BEGIN

namespace pose {

/// Samples of a batch that the CPU solves: the thesis's 160 hypotheses.
inline constexpr std::uint32_t kHostSamples = 160;
/// Samples of a batch that the device solves: more where thousands of threads wait.
#if defined(__CUDACC__)
inline constexpr std::uint32_t kStagedSamples = 2048;
inline constexpr int kStagedThreads = 128, kChooseThreads = 1024;
#else
inline constexpr std::uint32_t kStagedSamples = kHostSamples;
inline constexpr int kStagedThreads = 1, kChooseThreads = 1;
#endif

/// Memory of the stages of a batch. Hypotheses are the models of all samples, kMostModels for each,
/// of which the first n_models are set.
template <class Problem>
struct StagedMemory {
    SampleMemory<Problem> samples;
    View<typename Problem::Pose> poses;  ///< for each hypothesis
    View<std::uint8_t> before;  ///< whether each match is before the cameras, for each hypothesis
    View<float> errors;         ///< squared error of each match, for each hypothesis
    View<std::uint32_t> n_inliers;  ///< for each hypothesis
    View<StateOf<Problem>> best;    ///< best pose of the batch

    [[nodiscard]] TL_D bool has(std::uint32_t hypothesis) const {
        return hypothesis % Problem::kMostModels <
               samples.n_models.data[hypothesis / Problem::kMostModels];
    }
    [[nodiscard]] TL_D const float* model(std::uint32_t hypothesis) const {
        return samples.models.data + std::size_t{hypothesis} * Problem::kModel;
    }
};

template <class Problem>
struct BeginBatch {
    SampleMemory<Problem> samples;
    std::uint64_t first;
    std::uint32_t count;

    TL_D void operator()(std::uint32_t /*i*/) const {
        samples.state.data[0].n_samples = first;
        samples.state.data[0].n_now = count;
    }
};

/// The poses of hypotheses.
template <class Problem>
struct Decompose {
    StagedMemory<Problem> memory;
    MatchView matches;
    std::uint64_t seed;

    TL_D void operator()(std::uint32_t hypothesis) const {
        if (!memory.has(hypothesis)) return;
        std::uint32_t indices[Problem::kSample];
        draw_sample<Problem::kSample>(
            seed, memory.samples.state.data[0].n_samples + hypothesis / Problem::kMostModels,
            matches.count, indices);
        memory.poses.data[hypothesis] = Problem::pose_of(
            memory.model(hypothesis),
            [&](int i, double* to) { load_match<Problem>(matches, indices[i], to); });
    }
};

/// Whether matches are before the cameras, hypothesis by hypothesis.
template <class Problem>
struct Triangulate {
    StagedMemory<Problem> memory;
    MatchView matches;

    TL_D void operator()(std::uint32_t i) const {
        std::uint32_t hypothesis = i / matches.count;
        if (!memory.has(hypothesis)) return;
        double own[Problem::kCoordinates];
        load_match<Problem>(matches, i % matches.count, own);
        memory.before.data[i] = Problem::before(memory.poses.data[hypothesis], own) ? 1 : 0;
    }
};

template <class Problem>
struct MeasureErrors {
    StagedMemory<Problem> memory;
    MatchView matches;

    TL_D void operator()(std::uint32_t i) const {
        std::uint32_t hypothesis = i / matches.count;
        if (!memory.has(hypothesis)) return;
        float own[Problem::kCoordinates];
        for (int k = 0; k < Problem::kCoordinates; ++k)
            own[k] = matches.rounded.data[k * matches.stride + i % matches.count];
        memory.errors.data[i] = Problem::squared_error(memory.model(hypothesis), own);
    }
};

/// Counts the inliers of hypotheses, a block for each.
template <class Problem>
struct CountInliers {
    struct Shared {
        std::uint32_t n;
    };
    StagedMemory<Problem> memory;
    std::uint32_t n_matches;
    float most;  ///< squared error of an inlier

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        if (block.rank == 0) shared.n = 0;
        block.sync();
        std::uint32_t own = 0;
        std::size_t first = std::size_t{block.index} * n_matches;
        for (std::uint32_t k = block.rank; k < n_matches && memory.has(block.index);
             k += Block::size)
            own += memory.errors.data[first + k] < most && memory.before.data[first + k] ? 1 : 0;
        if (own > 0) block_add(&shared.n, own);
        block.sync();
        if (block.rank == 0) memory.n_inliers.data[block.index] = shared.n;
    }
};

/// Selects the hypothesis with most inliers, by one block.
template <class Problem>
struct ChooseBest {
    struct Shared {
        std::uint64_t
            lowest;  ///< complement of the most inliers, then the number of the hypothesis
        std::uint32_t n_models;
    };
    StagedMemory<Problem> memory;

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        if (block.rank == 0) shared = {~std::uint64_t{0}, 0};
        block.sync();
        const std::uint32_t n_samples = memory.samples.state.data[0].n_now;
        std::uint64_t lowest = ~std::uint64_t{0};
        std::uint32_t n_models = 0;
        for (std::uint32_t i = block.rank; i < n_samples; i += Block::size)
            n_models += memory.samples.n_models.data[i];
        for (std::uint32_t i = block.rank; i < n_samples * Problem::kMostModels; i += Block::size) {
            std::uint64_t key = std::uint64_t{~memory.n_inliers.data[i]} << 32 | i;
            lowest = key < lowest ? key : lowest;
        }
        block_min(&shared.lowest, lowest);
        block_add(&shared.n_models, n_models);
        block.sync();
        if (block.rank != 0) return;
        StateOf<Problem> own;
        own.n_models = shared.n_models;
        own.n_inliers = ~static_cast<std::uint32_t>(shared.lowest >> 32);
        if (own.n_inliers > 0)
            own.best = memory.poses.data[static_cast<std::uint32_t>(shared.lowest)];
        memory.best.data[0] = own;
    }
};

/// The batches of one stream.
template <class Problem>
class StagedBatch {
  public:
    StagedBatch(Device& device, std::uint32_t n_samples, const RansacTask& task)
        : stream_(device.create_stream()),
          scratch_(*stream_),
          timer_(*stream_),
          n_samples_(n_samples) {
        timer_.enable(task.timed);
        const std::uint32_t n_matches = task.matches.count;
        std::size_t n = std::size_t{n_samples} * Problem::kMostModels;
        memory_ = {SampleMemory<Problem>::take(scratch_, n_samples),
                   scratch_.take<typename Problem::Pose>(n),
                   scratch_.take<std::uint8_t>(n * n_matches),
                   scratch_.take<float>(n * n_matches),
                   scratch_.take<std::uint32_t>(n),
                   scratch_.take<StateOf<Problem>>(1)};
        if (!task.on_host) return;
        models_ = PinnedArray<float>(device, n * Problem::kModel);
        n_models_ = PinnedArray<std::uint32_t>(device, n_samples);
    }

    /// Gives the samples from `first` on to the stream.
    void start(const RansacTask& task, std::uint64_t first) {
        const MatchView& matches = task.matches;
        const std::uint32_t n_hypotheses = n_samples_ * Problem::kMostModels;
        const double threshold = task.limits.threshold;
        timer_.begin_frame();
        if (task.on_host) solve_on_host(task, first);
        time("solve", [&] {
            parallel_for(*stream_, "begin batch", 1,
                         BeginBatch<Problem>{memory_.samples, first, n_samples_});
            if (task.on_host)
                upload_models();
            else
                solve_samples(*stream_, memory_.samples, matches, task.limits.seed, n_samples_,
                              chosen_solver(task, SampleSolver::action));
        });
        time("decompose", [&] {
            parallel_for(*stream_, "decompose", n_hypotheses,
                         Decompose<Problem>{memory_, matches, task.limits.seed}, kGrain);
        });
        time("triangulate", [&] {
            parallel_for(*stream_, "triangulate", n_hypotheses * matches.count,
                         Triangulate<Problem>{memory_, matches});
        });
        time("errors", [&] {
            parallel_for(*stream_, "errors", n_hypotheses * matches.count,
                         MeasureErrors<Problem>{memory_, matches});
        });
        time("count", [&] {
            launch_blocks<kStagedThreads>(
                *stream_, "count inliers", n_hypotheses,
                CountInliers<Problem>{memory_, matches.count,
                                      static_cast<float>(threshold * threshold)});
            launch_blocks<kChooseThreads>(*stream_, "choose the best", 1,
                                          ChooseBest<Problem>{memory_});
        });
        timer_.end_frame();
    }
    /// Waits for the batch, and adds its times to `stages`. Returns its best pose, the number of
    /// its inliers and that of the models.
    [[nodiscard]] StateOf<Problem> finish(std::vector<StageTime>& stages) {
        StateOf<Problem> best;
        stream_->device().download(*stream_, &best, memory_.best.data, sizeof best);
        timer_.flush();
        add_times(stages, timer_.latest());
        if (!timer_.latest().empty() && models_.size() > 0)
            add_times(stages, {{"solve on the host", host_milliseconds_}});
        return best;
    }

  private:
    static constexpr std::uint32_t kGrain = 64;

    void solve_on_host(const RansacTask& task, std::uint64_t first) {
        auto start = std::chrono::steady_clock::now();
        task.on_host->solve({task.limits.seed,
                             first,
                             n_samples_,
                             {models_.data(), models_.size()},
                             {n_models_.data(), n_models_.size()}});
        host_milliseconds_ =
            std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start)
                .count();
    }
    void upload_models() {
        auto& device = stream_->device();
        auto& samples = memory_.samples;
        device.upload(*stream_, samples.models.data, models_.data(),
                      models_.size() * sizeof(float));
        device.upload(*stream_, samples.n_models.data, n_models_.data(),
                      n_models_.size() * sizeof(std::uint32_t));
    }

    template <class Work>
    void time(const char* name, const Work& work) {
        StageTimer::Scope stage(timer_, name);
        work();
    }

    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    StageTimer timer_;
    std::uint32_t n_samples_;
    StagedMemory<Problem> memory_;
    PinnedArray<float> models_;            ///< of samples that the host solves
    PinnedArray<std::uint32_t> n_models_;  ///< likewise
    float host_milliseconds_ = 0;
};

template <class Problem>
RansacResult<typename Problem::Pose> ransac_staged(Stream& stream, const RansacTask& task,
                                                   SolverRun& run) {
    using Pose = typename Problem::Pose;
    auto& device = stream.device();
    auto& limits = task.limits;
    const std::uint32_t n_matches = task.matches.count;
    const std::uint32_t own_samples = task.on_host ? kHostSamples : kStagedSamples;
    const std::uint32_t n_samples = limits.batch > 0 ? limits.batch : own_samples;
    const std::uint64_t n_models = std::uint64_t{n_samples} * Problem::kMostModels;
    const std::uint64_t n_pairs = n_models * n_matches;
    constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;
    if (n_pairs > kMostPairs)
        throw UserError("pose mode staged takes at most " + std::to_string(kMostPairs) +
                        " pairs of a model and a match in a batch, and these would be " +
                        std::to_string(n_pairs) + "; use a smaller batch, or the mode fused");
    constexpr std::uint64_t kBytesOfModel = sizeof(float) * Problem::kModel + sizeof(Pose);
    require_memory(device, 2 * (n_pairs * (sizeof(float) + 1) + n_models * kBytesOfModel),
                   "pose mode staged", "use fewer matches or a smaller batch, or the mode fused");
    // The streams of the batches read data that this one uploads.
    stream.synchronize();
    StagedBatch<Problem> batches[2] = {{device, n_samples, task}, {device, n_samples, task}};
    RansacResult<Pose> result;
    auto& state = result.state;
    std::uint64_t n_started = 0;
    state.n_needed = limits.most_samples;
    for (std::uint32_t turn = 0; state.n_samples < state.n_needed || turn < 2; ++turn) {
        auto& batch = batches[turn % 2];
        if (turn >= 2) {
            auto best = batch.finish(result.stages);
            state.n_models += best.n_models;
            state.n_samples += n_samples;
            if (best.n_inliers > state.n_inliers) {
                state.n_inliers = best.n_inliers;
                state.best = best.best;
                state.gain = best.n_inliers;
                state.n_needed = needed_samples<Problem>(state, n_matches, limits);
            }
            run.report(
                std::min(1.0, static_cast<double>(state.n_samples) /
                                  static_cast<double>(std::max(state.n_needed, state.n_samples))));
        }
        batch.start(task, n_started);
        n_started += n_samples;
    }
    for (auto& batch : batches) (void)batch.finish(result.stages);
    DeviceArray<RansacState<Pose>> on_device(stream, std::span<const RansacState<Pose>>(&state, 1));
    // Measures the pose without refining it.
    finish_pose<Problem>(stream, on_device.view(), task, 0);
    state = on_device.download(stream).front();
    return result;
}

}  // namespace pose

TL_DEVICE_END
