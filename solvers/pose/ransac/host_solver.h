// Samples that are solved outside of the device that tests their models: on the CPU (mode split),
// or by both processors (mode hybrid; Cvrcek 2016, chapters 6.3 and 6.7).
#pragma once

#include <memory>

#include "solvers/pose/ransac/ransac_kernels.h"

namespace tl {

/// Samples `first` to `first + count - 1` of a seed, and the memory of their models on the host, as
/// SampleMemory has them.
struct HostSamples {
    std::uint64_t seed, first;
    std::uint32_t count;
    View<float> models;
    View<std::uint32_t> n_models;
};

class HostSolver {
  public:
    virtual ~HostSolver() = default;
    /// Solves the samples, whose results do not depend on the number of threads.
    virtual void solve(const HostSamples& samples) = 0;
};

/// The solver of the mode split or hybrid, for matches in host memory that outlive it. hybrid:
/// finds eigenvectors on `device`.
[[nodiscard]] std::unique_ptr<HostSolver> make_host_solver(RansacMode mode, PoseKind kind,
                                                           SampleSolver solver,
                                                           const MatchView& matches,
                                                           Device& device);

}  // namespace tl

namespace tl::cpu {

// Solve samples of a kind on the CPU, whose stream it is.
void solve_relative(Stream& stream, const MatchView& matches, SampleSolver solver,
                    const HostSamples& samples);
void solve_relative_focal(Stream& stream, const MatchView& matches, SampleSolver solver,
                          const HostSamples& samples);
void solve_absolute(Stream& stream, const MatchView& matches, SampleSolver solver,
                    const HostSamples& samples);
void solve_absolute_focal(Stream& stream, const MatchView& matches, SampleSolver solver,
                          const HostSamples& samples);
void solve_homography(Stream& stream, const MatchView& matches, SampleSolver solver,
                      const HostSamples& samples);
void solve_fundamental(Stream& stream, const MatchView& matches, SampleSolver solver,
                       const HostSamples& samples);

}  // namespace tl::cpu
