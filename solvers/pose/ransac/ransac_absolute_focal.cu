// RANSAC for the pose and focal length of a view of known points.
#include "solvers/pose/ransac/absolute_problem.h"
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"

TL_DEVICE_BEGIN

RansacResult ransac_absolute_focal(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::AbsoluteProblem<true>;
    return task.mode == RansacMode::staged ? pose::ransac_staged<Problem>(stream, task, run)
                                           : pose::ransac<Problem>(stream, task, run);
}

TL_DEVICE_END
