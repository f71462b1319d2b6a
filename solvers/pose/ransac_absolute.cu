// RANSAC for the pose of a calibrated view of known points.
#include "solvers/pose/absolute_problem.h"
#include "solvers/pose/ransac_loop.h"

TL_DEVICE_BEGIN

RansacState ransac_absolute(Stream& stream, const MatchView& matches, const RansacLimits& limits,
                            View<std::uint8_t> inliers, SolverRun& run) {
    return pose::ransac<pose::AbsoluteProblem<false>>(stream, matches, limits, inliers, run);
}

TL_DEVICE_END
