#include "solvers/pose/ransac/host_solver.h"

#include "solvers/pose/minimal/relative_hybrid.h"
#include "solvers/pose/ransac/sample_matches.h"

namespace tl {
namespace {

using SolveSamples = void (*)(Stream&, const MatchView&, SampleSolver, const HostSamples&);

SolveSamples solver_of(PoseKind kind) {
    switch (kind) {
        case PoseKind::relative:
            return cpu::solve_relative;
        case PoseKind::relative_focal:
            return cpu::solve_relative_focal;
        case PoseKind::absolute:
            return cpu::solve_absolute;
        case PoseKind::absolute_focal:
            return cpu::solve_absolute_focal;
        case PoseKind::homography:
            return cpu::solve_homography;
        default:
            return cpu::solve_fundamental;
    }
}

/// Mode split.
class CpuSolver final : public HostSolver {
  public:
    CpuSolver(PoseKind kind, SampleSolver solver, const MatchView& matches)
        : solve_(solver_of(kind)),
          solver_(solver),
          matches_(matches),
          stream_(find_device("cpu").create_stream()) {}
    void solve(const HostSamples& samples) override {
        solve_(*stream_, matches_, solver_, samples);
    }

  private:
    SolveSamples solve_;
    SampleSolver solver_;
    MatchView matches_;
    std::unique_ptr<Stream> stream_;
};

/// Mode hybrid, of relative poses.
template <bool kFocal>
class HybridSolver final : public HostSolver {
  public:
    HybridSolver(const MatchView& matches, Device& device)
        : matches_(matches), solver_(device, kFocal) {}
    void solve(const HostSamples& samples) override {
        pairs_.resize(kSizes.pairs * samples.count);
        models_.resize(kSizes.model * kSizes.rows * samples.count);
        n_found_.resize(samples.count);
        for (std::uint32_t i = 0; i < samples.count; ++i) {
            std::uint32_t indices[kSizes.pairs];
            draw_sample<static_cast<int>(kSizes.pairs)>(samples.seed, samples.first + i,
                                                        matches_.count, indices);
            for (std::size_t k = 0; k < kSizes.pairs; ++k)
                pairs_[kSizes.pairs * i + k] = {
                    coordinate(0, indices[k]), coordinate(1, indices[k]), coordinate(2, indices[k]),
                    coordinate(3, indices[k])};
        }
        solver_.solve(pairs_, models_, n_found_);
        for (std::uint32_t i = 0; i < samples.count; ++i) {
            samples.n_models[i] = static_cast<std::uint32_t>(n_found_[i]);
            const std::size_t first = std::size_t{i} * kSizes.rows * kSizes.model;
            for (std::size_t j = 0; j < samples.n_models[i] * kSizes.model; ++j)
                samples.models[first + j] = static_cast<float>(models_[first + j]);
        }
    }

  private:
    static constexpr RelativeSizes kSizes = relative_sizes(kFocal);

    [[nodiscard]] double coordinate(std::size_t k, std::uint32_t match) const {
        return matches_.exact[k * matches_.stride + match];
    }

    MatchView matches_;
    RelativeHybrid solver_;
    std::vector<PointPair> pairs_;
    std::vector<double> models_;
    std::vector<int> n_found_;
};

}  // namespace

std::unique_ptr<HostSolver> make_host_solver(RansacMode mode, PoseKind kind, SampleSolver solver,
                                             const MatchView& matches, Device& device) {
    if (mode == RansacMode::split) return std::make_unique<CpuSolver>(kind, solver, matches);
    if (kind == PoseKind::relative) return std::make_unique<HybridSolver<false>>(matches, device);
    return std::make_unique<HybridSolver<true>>(matches, device);
}

}  // namespace tl
