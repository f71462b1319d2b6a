// Pairs of views and views of points that are made at random, for benchmarks and tests: the pose is
// known, and noise and the share of wrong matches are chosen.
#pragma once

#include <string>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// How the points lie, and how the camera moves.
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
    double outliers = 0.5;   ///< share of the matches whose last view is anywhere in the image
    std::uint64_t seed = 0;  ///< places and wrong matches do not change with the noise
};

/// Matches of a camera of 1000 x 800 pixels and a focal length of 800 pixels.
struct RandomViews {
    PinholeCamera camera;
    std::vector<double> matches;  ///< match_size() numbers each, the wrong ones anywhere among them
    std::vector<std::uint8_t> right;  ///< 1 for each match that is
    CameraPose pose;                  ///< with the focal length
};

[[nodiscard]] RandomViews make_views(const ViewsSpec& spec);

/// How far a pose is from the true one.
struct PoseError {
    double rotation = 0;     ///< degrees
    double translation = 0;  ///< degrees between two views; else a share of the camera's distance
};
[[nodiscard]] PoseError pose_error(const CameraPose& found, const CameraPose& truth, PoseKind kind);

}  // namespace tl
