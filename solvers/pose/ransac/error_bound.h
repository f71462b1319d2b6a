// The Cramer-Rao bound of a pose's errors: no unbiased estimator has smaller ones. It is that of an
// estimator that knows the inliers and the size of their noise.
#pragma once

#include "solvers/pose/random_views.h"

namespace tl {

/// Draws `n_draws` random errors with the bound's covariance, for views with `spec.noise` whose
/// inliers are `views` without noise. The translation of absolute poses is a fraction of the
/// camera's distance, as in pose_error(). Empty where the matches do not determine the pose.
[[nodiscard]] std::vector<PoseError> errors_at_bound(const ViewsSpec& spec, std::size_t n_draws);

}  // namespace tl
