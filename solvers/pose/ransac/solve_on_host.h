// Solves samples in host memory by the CPU's kernels; for files that are compiled for the CPU.
#pragma once

#include <vector>

#include "solvers/pose/ransac/host_solver.h"
#include "solvers/pose/ransac/ransac_samples.h"

TL_DEVICE_BEGIN

namespace pose {

template <class Problem>
void solve_on_host(Stream& stream, const MatchView& matches, SampleSolver solver,
                   const HostSamples& samples) {
    StateOf<Problem> state;
    state.n_samples = samples.first;
    state.n_now = samples.count;
    std::uint32_t n_unsure = 0;
    std::vector<std::uint32_t> unsure(samples.count);
    const SampleMemory<Problem> memory{{&state, 1},
                                       samples.models,
                                       samples.n_models,
                                       {&n_unsure, 1},
                                       {unsure.data(), unsure.size()}};
    solve_samples(stream, memory, matches, samples.seed, samples.count, solver);
}

}  // namespace pose

TL_DEVICE_END
