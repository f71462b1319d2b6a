// The last steps of RANSAC: refines the best pose by exact distances, within the radius of the
// matches' noise, and marks its inliers.
#pragma once

#include "solvers/pose/ransac/noise_reach.h"
#include "solvers/pose/ransac/ransac_samples.h"

TL_DEVICE_BEGIN

namespace pose {

/// Whether the error of a match under the pose of `frame` is at most `threshold`.
template <class Problem>
TL_D bool is_inlier(const typename Problem::Frame& frame, const double* c, double threshold) {
    double r[Problem::kResiduals], squares = 0;
    Problem::template residual<true, false>(frame, c, r, static_cast<double*>(nullptr));
    for (double residual : r) squares += residual * residual;
    return squares < threshold * threshold;
}

/// Refines the best pose by exact distances, with one block and by up to `most_steps` steps. Among
/// the poses with the same errors it selects the one with most inliers in front of both cameras,
/// and marks these inliers.
template <class Problem>
struct RefineBest {
    struct Shared {
        RefineShared<Problem> refine;
        typename Problem::Pose poses[Problem::kPoses];
        std::uint32_t n_before[Problem::kPoses];
    };
    View<StateOf<Problem>> state;
    RansacTask task;
    int most_steps;

    template <class Block>
    TL_D void operator()(const Block& block, Shared& shared) const {
        const MatchView& matches = task.matches;
        const double threshold = task.limits.threshold;
        StateOf<Problem>& own = state.data[0];
        const bool there = own.gain > 0;
        if (there) refine_pose(block, shared.refine, own.best);
        for (std::uint32_t k = block.rank; k < Problem::kPoses; k += Block::size) {
            if (there)
                shared.poses[k] = Problem::same_errors(shared.refine.pose, static_cast<int>(k));
            shared.n_before[k] = 0;
        }
        block.sync();
        for (std::uint32_t i = block.rank; i < matches.count; i += Block::size) {
            double c[Problem::kCoordinates];
            load_match<Problem>(matches, i, c);
            bool near = there && is_inlier<Problem>(shared.refine.frame, c, threshold);
            task.inliers.data[i] = near ? 1 : 0;
            for (int k = 0; near && k < Problem::kPoses; ++k)
                if (Problem::before(shared.poses[k], c)) block_add(&shared.n_before[k], 1);
        }
        block.sync();
        int best = 0;
        for (int k = 1; k < Problem::kPoses; ++k)
            if (shared.n_before[k] > shared.n_before[best]) best = k;
        for (std::uint32_t i = block.rank; there && i < matches.count; i += Block::size) {
            double c[Problem::kCoordinates];
            load_match<Problem>(matches, i, c);
            if (task.inliers.data[i] && !Problem::before(shared.poses[best], c))
                task.inliers.data[i] = 0;
        }
        if (block.rank != 0 || !there) return;
        own.best = shared.poses[best];
        own.gain = shared.refine.sums[0];
        own.n_inliers = static_cast<std::uint32_t>(shared.refine.sums[1]);
    }

  private:
    /// Leaves the pose, its frame and its sums within the threshold in `shared`.
    template <class Block>
    TL_D void refine_pose(const Block& block, RefineShared<Problem>& shared,
                          const typename Problem::Pose& from) const {
        const double threshold = task.limits.threshold;
        if (block.rank == 0) shared.pose = from;
        block.sync();
        if (most_steps > 0) {
            double reach = noise_reach(block, shared, task.matches, threshold);
            refine<Problem, true>(block, shared, task.matches, reach, most_steps);
            block.sync();
        }
        if (block.rank == 0) shared.frame = Problem::frame_of(shared.pose);
        block.sync();
        sum_matches<Problem, true, false>(block, shared, task.matches, threshold, shared.sums);
        block.sync();
    }
};

/// Refines the best pose by up to `most_steps` steps, and marks its inliers.
template <class Problem>
void finish_pose(Stream& stream, View<StateOf<Problem>> state, const RansacTask& task,
                 int most_steps) {
    launch_blocks<kRefineThreads>(stream, "refine the best pose", 1,
                                  RefineBest<Problem>{state, task, most_steps});
}

/// Number of samples after which one without outliers was drawn and solved with the confidence of
/// `limits`. The inlier ratio is that of the best pose among `count` matches. At most
/// limits.most_samples.
template <class Problem>
TL_HD std::uint64_t needed_samples(const StateOf<Problem>& state, std::uint32_t count,
                                   const RansacLimits& limits) {
    double p = state.solved;  // probability of a solved sample without outliers
    for (int i = 0; i < Problem::kSample; ++i)
        p *= static_cast<double>(state.n_inliers) / static_cast<double>(count);
    double needed = p >= 1 ? 1 : p > 0 ? log(1 - limits.confidence) / log1p(-p) : 1e18;
    double most = static_cast<double>(limits.most_samples);
    return static_cast<std::uint64_t>(ceil(needed < most ? needed : most));
}

}  // namespace pose

TL_DEVICE_END
