// The errors of a pose that no unbiased estimator can undercut (Cramer and Rao): those of one that
// knows which matches are right and how large their noise is.
#pragma once

#include "solvers/pose/random_views.h"

namespace tl {

/// `n_draws` random errors that have the bound's covariance, for views with `spec.noise`, whose
/// right matches are `views` without noise. Of absolute poses the translation is a share of the
/// camera's distance, as in pose_error(). Empty where the matches do not determine the pose.
[[nodiscard]] std::vector<PoseError> errors_at_bound(const ViewsSpec& spec, std::size_t n_draws);

}  // namespace tl
