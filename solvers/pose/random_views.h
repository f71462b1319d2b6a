// Random pairs of views and views of points, for benchmarks and tests. The pose is known; noise and
// outlier ratio are chosen.
#pragma once

#include <string>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// Geometry of the points and motion of the camera.
enum class ViewsKind { general, plane, facing_plane, forward, short_baseline, rotation };

/// A row of the table of kinds of views.
struct ViewsKindRow {
    std::string id;  ///< for flags: "short-baseline"
    ViewsKind kind;
    std::string help;  ///< one sentence
};
[[nodiscard]] const std::vector<ViewsKindRow>& views_kinds();

struct ViewsSpec {
    PoseKind pose = PoseKind::relative;
    ViewsKind kind = ViewsKind::general;
    std::size_t count = 2000;
    double noise = 0.5;      ///< standard deviation of each image coordinate, pixels
    double outliers = 0.5;   ///< fraction of the matches whose last view is anywhere in the image
    std::uint64_t seed = 0;  ///< noise does not change points and outliers
};

/// Matches of a camera of 1000 x 800 pixels and a focal length of 800 pixels.
struct RandomViews {
    PinholeCamera camera;
    std::vector<double> matches;  ///< match_size() numbers each, in random order with the outliers
    std::vector<std::uint8_t> right;  ///< 1 for each inlier
    CameraPose pose;                  ///< true pose, focal length included
};

[[nodiscard]] RandomViews make_views(const ViewsSpec& spec);

/// Differences between a pose and the true one.
struct PoseError {
    double rotation = 0;  ///< degrees
    /// degrees between two views; else a fraction of the camera's distance
    double translation = 0;
};
[[nodiscard]] PoseError pose_error(const CameraPose& found, const CameraPose& truth, PoseKind kind);

/// Root mean square of Sampson's distances, in pixels, of the right ones of exact matches from a
/// homography or a fundamental matrix.
[[nodiscard]] double matrix_error(const ViewMatrix& found, PoseKind kind, const RandomViews& exact);
/// The expectation of matrix_error() that no unbiased estimator undercuts (Cramer and Rao), to
/// first order: noise * sqrt(parameters of the matrix / right matches).
[[nodiscard]] double matrix_error_bound(const ViewsSpec& spec);
/// Whether points of these views are related by a homography.
[[nodiscard]] bool has_homography(ViewsKind kind);

}  // namespace tl
