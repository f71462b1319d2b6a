// The points of matches, from the pose of their two views.
#pragma once

#include <span>
#include <vector>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// The points of `matches` (n x 4 in pixels, row by row) by the estimate of a relative pose of a
/// kind: n x 3 in the frame of the first camera, row by row, in units of the baseline. Each is the
/// middle of the shortest segment between the two rays. NaN where the match is no inlier.
[[nodiscard]] std::vector<double> triangulate(PoseKind kind, const PinholeCamera& camera,
                                              const PoseEstimate& estimate,
                                              std::span<const double> matches);

}  // namespace tl
