// RANSAC for the homography of two uncalibrated views.
#include "solvers/pose/ransac/homography_problem.h"
#include "solvers/pose/ransac/ransac_loop.h"
#include "solvers/pose/ransac/ransac_staged.h"
#include "solvers/pose/ransac/solve_on_host.h"

TL_DEVICE_BEGIN

MatrixResult ransac_homography(Stream& stream, const RansacTask& task, SolverRun& run) {
    using Problem = pose::HomographyProblem;
    return task.mode == RansacMode::fused ? pose::ransac<Problem>(stream, task, run)
                                          : pose::ransac_staged<Problem>(stream, task, run);
}

#if !defined(__CUDACC__)
void solve_homography(Stream& stream, const MatchView& matches, SampleSolver solver,
                      const HostSamples& samples) {
    pose::solve_on_host<pose::HomographyProblem>(stream, matches, solver, samples);
}
#endif

TL_DEVICE_END
