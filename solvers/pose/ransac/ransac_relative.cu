// RANSAC for the relative pose of two calibrated views.
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"
#include "solvers/pose/ransac/relative_problem.h"

TL_DEVICE_BEGIN

RansacResult ransac_relative(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::RelativeProblem<false>;
    return task.mode == RansacMode::staged ? pose::ransac_staged<Problem>(stream, task, run)
                                           : pose::ransac<Problem>(stream, task, run);
}

TL_DEVICE_END
