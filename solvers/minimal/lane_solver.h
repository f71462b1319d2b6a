// Instances of a polynomial system in the lanes of a pack, by the functions of a shared object.
#pragma once

#include <span>
#include <vector>

#include "solvers/minimal/loaded_solver.h"

namespace tl::minimal {

using LaneTeam = cpu::eigen::PackTeam<double>;
using LaneReal = cpu::minimal::LoadedSolver::Real;
inline constexpr std::size_t kInstanceLanes = LaneTeam::kLanes;

/// Appends solutions to those of their instances.
struct SolutionWriter {
    double* solutions;  ///< of the first lane's instance
    int* counts;        ///< likewise; 0 at the beginning
    std::size_t n_lanes;
    int n_solutions, n_unknowns;

    /// Called by a solver with a solution of each of the lanes `want`.
    void solution(LaneTeam::Mask want, const LaneReal* u);
    /// Sorts the solutions of each lane, and fills the rest with NaN.
    void finish() const;
    /// The same for one lane, whose solutions so far are dropped.
    [[nodiscard]] SolutionWriter again(std::size_t lane) const;
};

/// Solves instances on one thread.
class LaneSolver {
  public:
    using Solver = cpu::minimal::LoadedSolver;
    using Storage = cpu::minimal::TemplateStorage<Solver, LaneReal>;

    explicit LaneSolver(const SolverFunctions& functions);

    /// Solves up to kInstanceLanes instances.
    void solve(std::span<const double> instances, SolutionWriter& writer);

    /// Puts up to kInstanceLanes instances into the lanes of parameters(). Returns 1 in lanes whose
    /// instance exists and is finite, else 0.
    LaneReal load(std::span<const double> instances, std::size_t n_lanes);
    [[nodiscard]] const LaneReal* parameters() const { return parameters_.data(); }
    [[nodiscard]] const Solver& solver() const { return solver_; }
    /// Scratch memory of a group of lanes; its arrays may be replaced.
    [[nodiscard]] Storage& storage() { return storage_; }

  private:
    Solver solver_;
    std::vector<LaneReal> step_, memory_, parameters_;
    Storage storage_;
};

/// Groups of lanes whose solution takes about a tenth of a millisecond or more.
[[nodiscard]] std::size_t groups_per_task(const SolverFunctions& functions);

}  // namespace tl::minimal
