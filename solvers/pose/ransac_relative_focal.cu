// RANSAC for the relative pose of two views with one unknown focal length.
#include "solvers/pose/ransac_loop.h"
#include "solvers/pose/relative_problem.h"

TL_DEVICE_BEGIN

RansacState ransac_relative_focal(Stream& stream, const MatchView& matches,
                                  const RansacLimits& limits, View<std::uint8_t> inliers,
                                  SolverRun& run) {
    return pose::ransac<pose::RelativeProblem<true>>(stream, matches, limits, inliers, run);
}

TL_DEVICE_END
