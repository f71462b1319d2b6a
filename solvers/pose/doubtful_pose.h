// Whether inliers determine a relative pose: not where the camera has only turned, and perhaps not
// where they are all in one plane.
#pragma once

#include <span>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// `pairs`: the inliers x1, y1, x2, y2 as directions (x, y, 1); `threshold` in the same unit.
[[nodiscard]] PoseDoubt doubt_of(const CameraPose& pose, std::span<const double> pairs,
                                 double threshold);

}  // namespace tl
