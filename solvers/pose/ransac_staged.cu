// RANSAC for relative poses in the stages of Cvrcek 2016 (chapters 6.3 and 7): minimal solver,
// decomposition, triangulation, Sampson's error and count, each a kernel over all hypotheses of a
// batch, which hand their results on in memory. Two batches are under way at a time, on streams of
// their own, so that the solver of one overlaps with the verification of the other.
#include <algorithm>
#include <memory>
#include <vector>

#include "solvers/pose/five_point.h"
#include "solvers/pose/ransac_loop.h"
#include "solvers/pose/relative_problem.h"

TL_DEVICE_BEGIN

namespace {

using Problem = pose::RelativeProblem<false>;

/// Samples of a batch: the thesis's 160 hypotheses on the CPU, more where thousands of threads
/// wait.
#if defined(__CUDACC__)
constexpr std::uint32_t kSamples = 2048;
#else
constexpr std::uint32_t kSamples = 160;
#endif
constexpr std::uint32_t kModels = kSamples * kMostEssentials;

/// The best hypothesis of a batch.
struct StagedBest {
    std::uint32_t n_inliers, n_models;
    CameraPose pose;
};

/// The batches of one stream.
class StagedBatch {
  public:
    StagedBatch(Device& device, std::uint32_t n_matches)
        : stream_(device.create_stream()),
          pairs_(*stream_, std::size_t{kSamples} * 5),
          essentials_(*stream_, std::size_t{kModels} * 9),
          n_found_(*stream_, kSamples),
          poses_(*stream_, kModels),
          before_(*stream_, std::size_t{kModels} * n_matches),
          errors_(*stream_, std::size_t{kModels} * n_matches),
          counts_(*stream_, kModels),
          best_(*stream_, 1) {}

    /// Gives the samples from `first` on to the stream.
    void start(const MatchView& matches, const RansacLimits& limits, std::uint64_t first) {
        draw(matches, limits.seed, first);
        five_point(*stream_, std::as_const(pairs_).view(), kSamples, essentials_.view(),
                   n_found_.view());
        decompose();
        triangulate(matches);
        sampson(matches);
        count(matches, limits);
        choose();
    }
    /// Waits for the batch.
    [[nodiscard]] StagedBest finish() { return best_.download(*stream_).front(); }

    // Lambdas of a device cannot be in private functions.
    void draw(const MatchView& matches, std::uint64_t seed, std::uint64_t first) {
        auto pairs = pairs_.view();
        parallel_for(
            *stream_, "draw samples", kSamples, TL_LAMBDA(std::uint32_t sample) {
                double own[20];
                pose::load_sample<Problem>(matches, seed, first + sample, own);
                for (int i = 0; i < 5; ++i)
                    pairs[sample * 5 + i] = {own[4 * i], own[4 * i + 1], own[4 * i + 2],
                                             own[4 * i + 3]};
            });
    }
    void decompose() {
        auto pairs = pairs_.view();
        auto essentials = essentials_.view();
        auto n_found = n_found_.view();
        auto poses = poses_.view();
        parallel_for(
            *stream_, "decompose", kModels, TL_LAMBDA(std::uint32_t model) {
                std::uint32_t sample = model / kMostEssentials;
                if (static_cast<int>(model % kMostEssentials) >= n_found[sample]) return;
                poses[model] = motion::pose_before_both(essentials.data + std::size_t{model} * 9, 5,
                                                        [&](int i, double* own) {
                                                            PointPair pair = pairs[sample * 5 + i];
                                                            own[0] = pair.x1;
                                                            own[1] = pair.y1;
                                                            own[2] = pair.x2;
                                                            own[3] = pair.y2;
                                                        });
            });
    }
    void triangulate(const MatchView& matches) {
        auto n_found = n_found_.view();
        auto poses = poses_.view();
        auto before = before_.view();
        auto n_matches = matches.count;
        parallel_for(
            *stream_, "triangulate", kModels * n_matches, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t model = i / n_matches;
                if (static_cast<int>(model % kMostEssentials) >= n_found[model / kMostEssentials])
                    return;
                double own[4];
                pose::load_match<Problem>(matches, i % n_matches, own);
                before[i] = Problem::before(poses[model], own) ? 1 : 0;
            });
    }
    void sampson(const MatchView& matches) {
        auto n_found = n_found_.view();
        auto essentials = essentials_.view();
        auto errors = errors_.view();
        auto n_matches = matches.count;
        parallel_for(
            *stream_, "Sampson error", kModels * n_matches, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t model = i / n_matches;
                if (static_cast<int>(model % kMostEssentials) >= n_found[model / kMostEssentials])
                    return;
                float e[9], own[4];
                for (int j = 0; j < 9; ++j)
                    e[j] = static_cast<float>(essentials[std::size_t{model} * 9 + j]);
                for (int k = 0; k < 4; ++k)
                    own[k] = matches.rounded[k * matches.stride + i % n_matches];
                errors[i] = Problem::squared_error(e, own);
            });
    }
    void count(const MatchView& matches, const RansacLimits& limits) {
        auto n_found = n_found_.view();
        auto before = before_.view();
        auto errors = errors_.view();
        auto counts = counts_.view();
        auto n_matches = matches.count;
        auto most = static_cast<float>(limits.threshold * limits.threshold);
        parallel_for(
            *stream_, "count inliers", kModels,
            TL_LAMBDA(std::uint32_t model) {
                std::uint32_t n = 0;
                if (static_cast<int>(model % kMostEssentials) < n_found[model / kMostEssentials])
                    for (std::uint32_t k = 0; k < n_matches; ++k) {
                        std::size_t i = std::size_t{model} * n_matches + k;
                        n += errors[i] < most && before[i] ? 1 : 0;
                    }
                counts[model] = n;
            },
            16);
    }
    void choose() {
        auto n_found = n_found_.view();
        auto poses = poses_.view();
        auto counts = counts_.view();
        auto best = best_.view();
        parallel_for(
            *stream_, "choose the best", 1, TL_LAMBDA(std::uint32_t) {
                StagedBest own{0, 0, {}};
                for (std::uint32_t sample = 0; sample < kSamples; ++sample)
                    own.n_models += static_cast<std::uint32_t>(n_found[sample]);
                std::uint32_t at = 0;
                for (std::uint32_t model = 0; model < kModels; ++model)
                    if (counts[model] > own.n_inliers) {
                        own.n_inliers = counts[model];
                        at = model;
                    }
                if (own.n_inliers > 0) own.pose = poses[at];
                best[0] = own;
            });
    }

  private:
    std::unique_ptr<Stream> stream_;
    DeviceArray<PointPair> pairs_;
    DeviceArray<double> essentials_;
    DeviceArray<int> n_found_;
    DeviceArray<CameraPose> poses_;
    DeviceArray<std::uint8_t> before_;
    DeviceArray<float> errors_;
    DeviceArray<std::uint32_t> counts_;
    DeviceArray<StagedBest> best_;
};

}  // namespace

RansacState ransac_relative_staged(Stream& stream, const MatchView& matches,
                                   const RansacLimits& limits, View<std::uint8_t> inliers,
                                   SolverRun& run) {
    auto& device = stream.device();
    constexpr std::uint32_t kMostPairs = std::uint32_t{1} << 31;
    if (matches.count > kMostPairs / kModels)
        throw UserError("pose mode staged takes at most " + std::to_string(kMostPairs / kModels) +
                        " matches; use the mode fused");
    require_memory(device, 2 * std::uint64_t{kModels} * matches.count * 5, "pose mode staged",
                   "use fewer matches, or the mode fused");
    // The streams of the batches read what this one has uploaded.
    stream.synchronize();
    StagedBatch batches[2] = {{device, matches.count}, {device, matches.count}};
    RansacState state;
    std::uint64_t n_started = 0, needed = limits.most_samples;
    for (std::uint32_t turn = 0; state.n_samples < needed || turn < 2; ++turn) {
        auto& batch = batches[turn % 2];
        if (turn >= 2) {
            auto best = batch.finish();
            state.n_models += best.n_models;
            state.n_samples += kSamples;
            if (best.n_inliers > state.n_inliers) {
                state.n_inliers = best.n_inliers;
                state.best = best.pose;
                state.gain = best.n_inliers;
                needed = pose::needed_samples<Problem>(state.n_inliers, matches.count, limits);
            }
            run.report(std::min(1.0, static_cast<double>(state.n_samples) /
                                         static_cast<double>(std::max(needed, state.n_samples))));
        }
        batch.start(matches, limits, n_started);
        n_started += kSamples;
    }
    for (auto& batch : batches) (void)batch.finish();
    state.n_needed = needed;
    DeviceArray<RansacState> on_device(stream, std::span<const RansacState>(&state, 1));
    // Measures the pose without refining it.
    launch_blocks<pose::kRefineThreads>(
        stream, "measure the pose", 1,
        pose::RefineBest<Problem>{on_device.view(), matches, limits, 0});
    parallel_for(stream, "mark inliers", matches.count,
                 pose::MarkInliers<Problem>{on_device.view(), matches, limits, inliers});
    return on_device.download(stream).front();
}

TL_DEVICE_END
