// RANSAC for the pose of a calibrated view of known points.
#include "solvers/pose/ransac/absolute_problem.h"
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"

TL_DEVICE_BEGIN

RansacResult ransac_absolute(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::AbsoluteProblem<false>;
    return task.mode == RansacMode::staged ? pose::ransac_staged<Problem>(stream, task, run)
                                           : pose::ransac<Problem>(stream, task, run);
}

TL_DEVICE_END
