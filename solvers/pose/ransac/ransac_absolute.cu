// RANSAC for the pose of a calibrated view of known points.
#include "solvers/pose/ransac/absolute_problem.h"
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"
#include "solvers/pose/ransac/solve_on_host.h"

TL_DEVICE_BEGIN

PoseResult ransac_absolute(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::AbsoluteProblem<false>;
    return task.mode == RansacMode::fused ? pose::ransac<Problem>(stream, task, run)
                                          : pose::ransac_staged<Problem>(stream, task, run);
}

#if !defined(__CUDACC__)
void solve_absolute(Stream& stream, const MatchView& matches, SampleSolver solver,
                    const HostSamples& samples) {
    pose::solve_on_host<pose::AbsoluteProblem<false>>(stream, matches, solver, samples);
}
#endif

TL_DEVICE_END
