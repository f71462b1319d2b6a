#include "solvers/minimal/lane_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/minimal/instance_task.h"

namespace tl::minimal {

void SolutionWriter::solution(LaneTeam::Mask want, const LaneReal* u) {
    unsigned lanes = cpu::eigen::lanes_of(want);
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        auto at = static_cast<long>(lane);
        bool finite = true;
        for (int k = 0; k < n_unknowns; ++k) finite = finite && std::isfinite(u[k].v[at]);
        if (!finite) continue;
        double* to = solutions + (at * n_solutions + counts[lane]++) * n_unknowns;
        for (int k = 0; k < n_unknowns; ++k) to[k] = u[k].v[at];
    }
}

void SolutionWriter::finish() const {
    std::vector<std::vector<double>> own;
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        double* first = solutions + static_cast<long>(lane) * n_solutions * n_unknowns;
        own.clear();
        for (int i = 0; i < counts[lane]; ++i)
            own.emplace_back(first + i * n_unknowns, first + (i + 1) * n_unknowns);
        std::ranges::sort(own);
        for (auto& solution : own) first = std::ranges::copy(solution, first).out;
        std::fill_n(first, (n_solutions - counts[lane]) * n_unknowns,
                    std::numeric_limits<double>::quiet_NaN());
    }
}

SolutionWriter SolutionWriter::again(std::size_t lane) const {
    counts[lane] = 0;
    return {solutions + static_cast<long>(lane) * n_solutions * n_unknowns, counts + lane, 1,
            n_solutions, n_unknowns};
}

LaneSolver::LaneSolver(const SolverFunctions& functions)
    : solver_{&functions, nullptr},
      step_(static_cast<std::size_t>(solver_.step_size())),
      memory_(static_cast<std::size_t>(Storage::size(solver_))),
      parameters_(static_cast<std::size_t>(functions.n_parameters)),
      storage_(solver_, memory_.data()) {
    solver_.step = step_.data();
}

LaneReal LaneSolver::load(std::span<const double> instances, std::size_t n_lanes) {
    std::size_t n = parameters_.size();
    LaneReal valid(0.0);
    for (std::size_t lane = 0; lane < kInstanceLanes; ++lane) {
        auto at = static_cast<long>(lane);
        bool there = lane < n_lanes;
        for (std::size_t k = 0; k < n; ++k) {
            double number = instances[(there ? lane : 0) * n + k];
            there = there && std::isfinite(number);
            parameters_[k].v[at] = std::isfinite(number) ? number : 0;
        }
        valid.v[at] = there ? 1 : 0;
    }
    return valid;
}

void LaneSolver::solve(std::span<const double> instances, SolutionWriter& writer) {
    auto valid = load(instances, writer.n_lanes);
    cpu::minimal::solve(LaneTeam(), parameters_.data(), valid > LaneReal(0.0), kMostNewtonSteps,
                        storage_, writer, solver_);
    writer.finish();
}

std::size_t groups_per_task(const SolverFunctions& functions) {
    auto n_numbers = static_cast<std::size_t>(functions.n_solutions * functions.n_unknowns);
    std::size_t work = n_numbers * n_numbers + static_cast<std::size_t>(functions.n_rows) *
                                                   static_cast<std::size_t>(functions.n_columns);
    return std::max<std::size_t>(1, 20'000 / work);
}

}  // namespace tl::minimal
