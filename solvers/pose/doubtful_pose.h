// Whether inliers determine a relative pose: not where the camera has only turned, and perhaps not
// where they are all in one plane.
#pragma once

#include <span>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// `pairs`: the inliers x1, y1, x2, y2 as directions (x, y, 1); `threshold` in the same unit.
[[nodiscard]] PoseDoubt doubt_of(const CameraPose& pose, std::span<const double> pairs,
                                 double threshold);

/// Whether the focal length of an absolute pose is arbitrary: a tenth more or less of it, at a
/// distance that makes up for it, moves no point by more than its error. `matches`: x, y, X, Y, Z
/// of the inliers, whose errors are up to `threshold`.
[[nodiscard]] bool focal_is_arbitrary(const CameraPose& pose, std::span<const double> matches,
                                      double threshold);

}  // namespace tl
