// RANSAC for the relative pose of two calibrated views.
#include "solvers/pose/ransac_loop.h"
#include "solvers/pose/relative_problem.h"

TL_DEVICE_BEGIN

RansacState ransac_relative(Stream& stream, const MatchView& matches, const RansacLimits& limits,
                            View<std::uint8_t> inliers, SolverRun& run) {
    return pose::ransac<pose::RelativeProblem<false>>(stream, matches, limits, inliers, run);
}

TL_DEVICE_END
