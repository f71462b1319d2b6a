// Robust estimation of the pose between two views, or of a view of known points, from matches with
// many outliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device/device.h"
#include "solvers/pose/camera_pose.h"
#include "solvers/solver.h"

namespace tl {

/// Kind of the unknown pose, and the numbers of a match.
enum class PoseKind {
    relative,        ///< two calibrated views; x1, y1, x2, y2
    relative_focal,  ///< two views of one unknown focal length; x1, y1, x2, y2
    absolute,        ///< a calibrated view of known points; x, y, X, Y, Z
    absolute_focal   ///< a view of known points, of unknown focal length; x, y, X, Y, Z
};
[[nodiscard]] std::size_t match_size(PoseKind kind);  ///< numbers of a match: 4 or 5
/// Least number of matches of a pose: one more than its equations, to select one of their
/// solutions.
[[nodiscard]] std::size_t least_matches(PoseKind kind);
[[nodiscard]] bool is_relative(PoseKind kind);
[[nodiscard]] bool finds_focal(PoseKind kind);

/// A pinhole camera, in pixels. Where the focal length is unknown, fx and fy are not used.
struct PinholeCamera {
    double fx = 1, fy = 1, cx = 0, cy = 0;
};

struct RansacConfig {
    float threshold = 1;           ///< largest error of an inlier, pixels
    float confidence = 0.999f;     ///< probability that one of the samples had no outlier
    int most_samples = 4'000'000;  ///< limit, however few inliers there are
    int seed = 0;                  ///< seed of the samples; equal seeds give equal bits
    int batch = 0;                 ///< samples of a batch of the mode staged; 0: the device's own
    bool timed = false;            ///< whether the stages' times are requested
};
[[nodiscard]] Settings ransac_settings(RansacConfig& config);

/// Reason why a pose is doubtful.
enum class PoseDoubt {
    none,
    not_found,      ///< no pose fits more matches than its sample
    pure_rotation,  ///< a rotation alone explains the inliers: the translation is arbitrary
    one_plane,      ///< all inliers are in one plane, which two relative poses may explain
    no_focal,       ///< all inliers are equally far away: the focal length is arbitrary
    by_chance       ///< as many outliers would fit a pose as well
};
/// Text such as "the camera has only turned: ..."; "" for none.
[[nodiscard]] const char* words_of(PoseDoubt doubt);

struct PoseEstimate {
    /// R and t with X2 = R X1 + t, t of length 1; or the camera's X = R X_world + t. The focal
    /// length is in pixels, and 1 where it is given.
    CameraPose pose;
    double essential[9] = {};           ///< E of relative poses, row by row, of Frobenius norm 1
    std::vector<std::uint8_t> inliers;  ///< 1 for each match that fits, in the order given
    std::size_t n_inliers = 0;
    double rms = 0;  ///< root mean square of the inliers' errors, pixels
    PoseDoubt doubt = PoseDoubt::none;
    /// Expected number of poses that fit as well if all matches were outliers, as log10
    /// (solvers/pose/ransac/chance_fit.h).
    double log_chance = 0;
    std::uint64_t n_samples = 0, n_models = 0;
    double seconds = 0;  ///< host time from the matches to the result
    /// Device times of the stages, if requested, and of all as "frame"; for two batches that
    /// overlap, their sum.
    std::vector<StageTime> stages;
};

/// Implementation of RANSAC. fused: all steps of a round on the device, with refinement. staged:
/// the stages of Cvrcek 2016, without refinement.
enum class RansacMode { fused, staged };

/// Throws UserError for too few matches, or too many, and for numbers that are not finite.
void check_matches(PoseKind kind, std::span<const double> matches);

/// Estimates a pose from `matches` in pixels, match_size() numbers each, by RANSAC on the stream's
/// device. Throws UserError as check_matches() does and for insufficient memory, and
/// Cancelled.
[[nodiscard]] PoseEstimate estimate_pose(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                                         std::span<const double> matches,
                                         const RansacConfig& config, SolverRun& run,
                                         RansacMode mode = RansacMode::fused);

/// Adds the times of stages to those of the same names.
void add_times(std::vector<StageTime>& sums, const std::vector<StageTime>& times);

}  // namespace tl
