// Tests whether inliers determine a pose or a homography. A relative pose is undetermined where the
// camera has only rotated, and perhaps where all inliers are in one plane.
#pragma once

#include <span>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// Reason to doubt a relative pose. `pairs`: the inliers x1, y1, x2, y2 as directions (x, y, 1);
/// `threshold` in the same unit.
[[nodiscard]] PoseDoubt doubt_of(const CameraPose& pose, std::span<const double> pairs,
                                 double threshold);

/// Whether the focal length of an absolute pose is arbitrary: scaling it by a tenth, with the
/// distance that compensates for it best, moves no point by more than its error. `matches`: x, y,
/// X, Y, Z of the inliers, whose errors are up to `threshold`.
[[nodiscard]] bool focal_is_arbitrary(const CameraPose& pose, std::span<const double> matches,
                                      double threshold);

/// Whether nine tenths of the pairs x1, y1, x2, y2 are within twice the threshold of one line in
/// the first view.
[[nodiscard]] bool are_on_one_line(std::span<const double> pairs, double threshold);

}  // namespace tl
