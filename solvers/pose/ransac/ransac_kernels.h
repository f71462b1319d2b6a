// Data that the host and the kernels of RANSAC share.
#pragma once

#include "core/device/array.h"
#include "solvers/pose/estimate_pose.h"
#include "solvers/pose/view_matrix.h"

namespace tl {

/// Matches in working coordinates on a device: coordinate c of match i at [c * stride + i], doubles
/// and the same as floats; those from `count` to `stride` are NaN. Matches are in random order, so
/// any prefix of them is a random subset.
struct MatchView {
    View<const double> exact;
    View<const float> rounded;
    std::uint32_t count = 0, stride = 0;

    static constexpr std::uint32_t kMultiple = 8;  ///< `stride` is a multiple of it
};

struct RansacLimits {
    double threshold = 1;  ///< largest error of an inlier, in working coordinates
    double confidence = 0.999;
    std::uint64_t most_samples = 1;
    std::uint64_t seed = 0;
    std::uint32_t batch = 0;  ///< samples of a batch of the mode staged; 0: the device's default
};

class HostSolver;

struct RansacTask {
    MatchView matches;
    RansacLimits limits;
    View<std::uint8_t> inliers;  ///< gets 1 or 0 for each match
    RansacMode mode = RansacMode::fused;
    SampleSolver solver = SampleSolver::automatic;
    bool timed = false;             ///< stages are
    HostSolver* on_host = nullptr;  ///< of the modes split and hybrid
};

/// State of a run: the best model so far, and the samples that are left. Pose: CameraPose, or
/// ViewMatrix of uncalibrated views.
template <class Pose>
struct RansacState {
    Pose best;
    float raw_gain = 0;  ///< gain of the best model before refinement
    double gain = 0;     ///< gain of `best`: the sum of 1 - (error / threshold)^2 of inliers
    std::uint32_t n_inliers = 0;  ///< inliers of `best`
    std::uint32_t n_now = 0;      ///< samples of the round under way
    std::uint64_t n_samples = 0;  ///< samples of all rounds that have ended
    std::uint64_t n_models = 0;
    std::uint64_t n_needed = 0;  ///< samples that give the confidence at the inlier ratio
    /// Fraction of the first round's samples that were solved; below 1 only where the fast solver
    /// alone left some.
    double solved = 1;
};

template <class Pose>
struct RansacResult {
    RansacState<Pose> state;
    std::vector<StageTime> stages;  ///< times of a timed run, the sum of each over all rounds
};
using PoseResult = RansacResult<CameraPose>;
using MatrixResult = RansacResult<ViewMatrix>;

}  // namespace tl

// RANSAC with all steps, from the samples to the refined pose, on the device. Throws
// Cancelled, and UserError where the mode staged has not enough memory.
TL_FOR_DEVICES(
    PoseResult ransac_relative(Stream& stream, const RansacTask& task, SolverRun& run);
    PoseResult ransac_relative_focal(Stream & stream, const RansacTask& task, SolverRun& run);
    PoseResult ransac_absolute(Stream & stream, const RansacTask& task, SolverRun& run);
    PoseResult ransac_absolute_focal(Stream & stream, const RansacTask& task, SolverRun& run);
    MatrixResult ransac_homography(Stream & stream, const RansacTask& task, SolverRun& run);
    MatrixResult ransac_fundamental(Stream & stream, const RansacTask& task, SolverRun& run);)
