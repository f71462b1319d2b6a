// RANSAC for the relative pose of two calibrated views.
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"
#include "solvers/pose/ransac/relative_problem.h"
#include "solvers/pose/ransac/solve_on_host.h"

TL_DEVICE_BEGIN

PoseResult ransac_relative(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::RelativeProblem<false>;
    return task.mode == RansacMode::fused ? pose::ransac<Problem>(stream, task, run)
                                          : pose::ransac_staged<Problem>(stream, task, run);
}

#if !defined(__CUDACC__)
void solve_relative(Stream& stream, const MatchView& matches, SampleSolver solver,
                    const HostSamples& samples) {
    pose::solve_on_host<pose::RelativeProblem<false>>(stream, matches, solver, samples);
}
#endif

TL_DEVICE_END
