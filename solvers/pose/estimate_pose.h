// Robust estimation of the pose between two views, of a view of known points, or of a matrix
// between two uncalibrated views, from matches with many outliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device/device.h"
#include "solvers/pose/camera_pose.h"
#include "solvers/pose/view_matrix.h"
#include "solvers/solver.h"

namespace tl {

/// Kind of the unknown pose, and the numbers of a match.
enum class PoseKind {
    relative,        ///< two calibrated views; x1, y1, x2, y2
    relative_focal,  ///< two views of one unknown focal length; x1, y1, x2, y2
    absolute,        ///< a calibrated view of known points; x, y, X, Y, Z
    absolute_focal,  ///< a view of known points, of unknown focal length; x, y, X, Y, Z
    homography,      ///< two uncalibrated views of one plane, or rotated; x1, y1, x2, y2
    fundamental      ///< two uncalibrated views; x1, y1, x2, y2
};
[[nodiscard]] std::size_t match_size(PoseKind kind);  ///< numbers of a match: 4 or 5
/// Least number of matches of a pose: one more than its equations, to select one of their
/// solutions.
[[nodiscard]] std::size_t least_matches(PoseKind kind);
[[nodiscard]] bool is_relative(PoseKind kind);   ///< between two views
[[nodiscard]] bool finds_matrix(PoseKind kind);  ///< a homography or fundamental matrix, no pose
[[nodiscard]] bool finds_focal(PoseKind kind);

/// A pinhole camera, in pixels. Where the focal length is unknown, fx and fy are not used; the
/// kinds that find a matrix use nothing of it.
struct PinholeCamera {
    double fx = 1, fy = 1, cx = 0, cy = 0;
};

/// Solver of the minimal samples. sturm is for relative poses, action and action_qr for them and
/// for kinds that find a focal length.
enum class SampleSolver {
    automatic,  ///< Sturm's chain in the mode fused if there is one, else the action matrix
    sturm,      ///< real roots of a polynomial; the action matrix where it leaves most samples
    action,     ///< eigenvectors of the action matrix, of a template eliminated with pivots
    action_qr   ///< the same, of a template eliminated by reflectors
};
[[nodiscard]] constexpr auto names_of(SampleSolver) {
    return std::to_array<EnumName<SampleSolver>>({{SampleSolver::automatic, "automatic"},
                                                  {SampleSolver::sturm, "sturm"},
                                                  {SampleSolver::action, "action"},
                                                  {SampleSolver::action_qr, "action-qr"}});
}

struct RansacConfig {
    float threshold = 1;           ///< largest error of an inlier, pixels
    float confidence = 0.999f;     ///< probability that one of the samples had no outlier
    int most_samples = 4'000'000;  ///< limit, however few inliers there are
    int seed = 0;                  ///< seed of the samples; equal seeds give equal bits
    int batch = 0;                 ///< samples of a batch of the mode staged; 0: the device's own
    SampleSolver solver = SampleSolver::automatic;
    bool timed = false;  ///< whether the stages' times are requested
};
[[nodiscard]] Settings ransac_settings(RansacConfig& config);

/// Reason why a pose is doubtful.
enum class PoseDoubt {
    none,
    not_found,       ///< no pose fits more matches than its sample
    pure_rotation,   ///< a rotation alone explains the inliers: the translation is arbitrary
    one_plane,       ///< all inliers are in one plane, which two relative poses may explain
    no_focal,        ///< all inliers are equally far away: the focal length is arbitrary
    by_chance,       ///< as many outliers would fit a pose as well
    one_homography,  ///< a homography explains the inliers: the fundamental matrix is arbitrary
    one_line         ///< all inliers are on one line: the homography is arbitrary
};
/// Text such as "the camera has only turned: ..."; "" for none.
[[nodiscard]] const char* words_of(PoseDoubt doubt);

struct PoseEstimate {
    /// R and t with X2 = R X1 + t, t of length 1; or the camera's X = R X_world + t. The focal
    /// length is in pixels, and 1 where it is given.
    CameraPose pose;
    double essential[9] = {};           ///< E of relative poses, row by row, of Frobenius norm 1
    ViewMatrix matrix;                  ///< H or F of the kinds that find it, in pixels
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
/// the stages of Cvrcek 2016, without refinement. split: staged, with samples that the CPU solves.
/// hybrid: staged, with samples of relative poses whose action matrices the CPU builds, and whose
/// eigenvectors the device finds.
enum class RansacMode { fused, staged, split, hybrid };

[[nodiscard]] bool has_mode(PoseKind kind, RansacMode mode);
[[nodiscard]] bool has_solver(PoseKind kind, SampleSolver solver);

/// Throws UserError for too few matches, or too many, and for numbers that are not finite.
void check_matches(PoseKind kind, std::span<const double> matches);

/// Estimates a pose from `matches` in pixels, match_size() numbers each, by RANSAC on the stream's
/// device. Throws UserError as check_matches() does, for insufficient memory and for a mode or a
/// solver that the kind does not have, and Cancelled.
[[nodiscard]] PoseEstimate estimate_pose(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                                         std::span<const double> matches,
                                         const RansacConfig& config, SolverRun& run,
                                         RansacMode mode = RansacMode::fused);

/// Adds the times of stages to those of the same names.
void add_times(std::vector<StageTime>& sums, const std::vector<StageTime>& times);

}  // namespace tl
