// The last steps of RANSAC: the best pose is refined by exact distances, as far as the matches'
// noise reaches, and its inliers are marked.
#pragma once

#include "solvers/pose/noise_reach.h"
#include "solvers/pose/ransac_samples.h"

TL_DEVICE_BEGIN

namespace pose {

/// Whether a match is at most `threshold` from where the pose of `frame` has it.
template <class Problem>
TL_D bool is_inlier(const typename Problem::Frame& frame, const double* c, double threshold) {
    double r[Problem::kResiduals], squares = 0;
    Problem::template residual<true, false>(frame, c, r, static_cast<double*>(nullptr));
    for (double residual : r) squares += residual * residual;
    return squares < threshold * threshold;
}

/// Refines the best pose by exact distances, with one block and by up to `most_steps` steps. Of the
/// poses that have the same errors it takes the one with most inliers before the cameras.
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
        block.sync();
        if (most_steps > 0) {
            double reach = noise_reach(block, shared.refine, matches, limits.threshold);
            refine<Problem, true>(block, shared.refine, matches, reach, most_steps);
            block.sync();
        }
        const CameraPose pose = shared.refine.pose;
        const auto frame = Problem::frame_of(pose);
        if (block.rank == 0) shared.refine.frame = frame;
        block.sync();
        sum_matches<Problem, true, false>(block, shared.refine, matches, limits.threshold,
                                          shared.refine.sums);
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

/// Refines the best pose by up to `most_steps` steps, and marks its inliers.
template <class Problem>
void finish_pose(Stream& stream, View<RansacState> state, const RansacTask& task, int most_steps) {
    launch_blocks<kRefineThreads>(
        stream, "refine the best pose", 1,
        RefineBest<Problem>{state, task.matches, task.limits, most_steps});
    parallel_for(stream, "mark inliers", task.matches.count,
                 MarkInliers<Problem>{state, task.matches, task.limits, task.inliers});
}

/// Samples after which one without outliers was drawn and solved with the confidence asked for, if
/// as many of `count` matches are right as are inliers; at most limits.most_samples.
template <class Problem>
TL_HD std::uint64_t needed_samples(const RansacState& state, std::uint32_t count,
                                   const RansacLimits& limits) {
    double p = state.solved;  // of a sample without outliers
    for (int i = 0; i < Problem::kSample; ++i)
        p *= static_cast<double>(state.n_inliers) / static_cast<double>(count);
    double needed = p >= 1 ? 1 : p > 0 ? log(1 - limits.confidence) / log1p(-p) : 1e18;
    double most = static_cast<double>(limits.most_samples);
    return static_cast<std::uint64_t>(ceil(needed < most ? needed : most));
}

}  // namespace pose

TL_DEVICE_END
