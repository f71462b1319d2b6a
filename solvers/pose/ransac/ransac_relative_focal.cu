// RANSAC for the relative pose of two views with one unknown focal length.
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"
#include "solvers/pose/ransac/relative_problem.h"

TL_DEVICE_BEGIN

RansacResult ransac_relative_focal(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::RelativeProblem<true>;
    return task.mode == RansacMode::staged ? pose::ransac_staged<Problem>(stream, task, run)
                                           : pose::ransac<Problem>(stream, task, run);
}

TL_DEVICE_END
