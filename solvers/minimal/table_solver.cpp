#include "solvers/minimal/table_solver.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "core/base/one_line.h"
#include "solvers/minimal/loaded_solver.h"
#include "solvers/minimal/solver_writer.h"

namespace tl::minimal {
namespace {

using Real = cpu::minimal::LoadedSolver::Real;
using Team = cpu::eigen::PackTeam<double>;
constexpr std::size_t kLanes = Team::kLanes;
constexpr int kMostSteps = 10;  // of Newton's

/// FNV-1a, 64 bits, in hexadecimal digits.
std::string hash_of(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
    std::string digits;
    for (int shift = 56; shift >= 0; shift -= 8)
        digits += hex_text(static_cast<std::uint8_t>(hash >> shift));
    return digits;
}

/// Appends solutions to those of their instances.
struct SolutionWriter {
    double* solutions;  ///< of the first lane's instance
    int* counts;
    std::size_t n_lanes;
    int n_solutions, n_unknowns;

    void solution(Team::Mask want, const Real* u) {
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
    /// Sorts the solutions of each lane, and fills the rest with NaN.
    void finish() const {
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
};

/// Solves instances on one thread.
class LaneSolver {
  public:
    explicit LaneSolver(const SolverFunctions& functions)
        : solver_{&functions, nullptr},
          step_(static_cast<std::size_t>(solver_.step_size())),
          memory_(static_cast<std::size_t>(Storage::size(solver_))),
          parameters_(static_cast<std::size_t>(functions.n_parameters)),
          storage_(solver_, memory_.data()) {
        solver_.step = step_.data();
    }

    /// Solves up to kLanes instances.
    void solve(std::span<const double> instances, SolutionWriter& writer) {
        std::size_t n = parameters_.size();
        Real valid(0.0);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            auto at = static_cast<long>(lane);
            bool there = lane < writer.n_lanes;
            for (std::size_t k = 0; k < n; ++k) {
                double number = instances[(there ? lane : 0) * n + k];
                there = there && std::isfinite(number);
                parameters_[k].v[at] = std::isfinite(number) ? number : 0;
            }
            valid.v[at] = there ? 1 : 0;
        }
        cpu::minimal::solve(Team(), parameters_.data(), valid > Real(0.0), kMostSteps, storage_,
                            writer, solver_);
        writer.finish();
    }

  private:
    using Storage = cpu::minimal::TemplateStorage<cpu::minimal::LoadedSolver, Real>;
    cpu::minimal::LoadedSolver solver_;
    std::vector<Real> step_, memory_, parameters_;
    Storage storage_;
};

}  // namespace

TableSolver::TableSolver(const PolynomialSystem& system, const ProgressPoll& poll) {
    auto key = std::to_string(kSourceVersion) + "\n" + form_text(system.action, system.unknowns) +
               "\n" + system.source;
    path_ = solver_cache() + "/" + system.name + "-" + hash_of(key) + ".so";
    if (!std::filesystem::exists(path_)) {
        compile_shared_object(source_text(system, find_template(system, poll)), path_, poll);
        is_new_ = true;
    }
    object_.emplace(path_);
}

void TableSolver::solve(std::span<const double> instances, std::span<double> solutions,
                        std::span<int> counts, const ProgressPoll& poll) const {
    auto& functions = object_->functions();
    auto n_parameters = static_cast<std::size_t>(functions.n_parameters);
    auto n_numbers = static_cast<std::size_t>(functions.n_solutions * functions.n_unknowns);
    std::size_t n_groups = (counts.size() + kLanes - 1) / kLanes;
    // A task takes about a tenth of a millisecond or more.
    std::size_t work = n_numbers * n_numbers + static_cast<std::size_t>(functions.n_rows) *
                                                   static_cast<std::size_t>(functions.n_columns);
    std::size_t grain = std::max<std::size_t>(1, 20'000 / work);
    auto solve_groups = [&](const tbb::blocked_range<std::size_t>& part) {
        LaneSolver lanes(functions);
        for (std::size_t group = part.begin(); group < part.end(); ++group) {
            std::size_t first = group * kLanes;
            SolutionWriter writer{&solutions[first * n_numbers], &counts[first],
                                  std::min(kLanes, counts.size() - first), functions.n_solutions,
                                  functions.n_unknowns};
            std::fill_n(writer.counts, writer.n_lanes, 0);
            lanes.solve(instances.subspan(first * n_parameters), writer);
        }
    };
    // Threads wait for each other between parts of about a tenth of a second.
    auto n_threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    std::size_t part = poll ? 500 * grain * n_threads : std::max<std::size_t>(1, n_groups);
    for (std::size_t first = 0; first < n_groups; first += part) {
        std::size_t end = std::min(n_groups, first + part);
        tbb::parallel_for(tbb::blocked_range<std::size_t>(first, end, grain), solve_groups);
        if (poll) poll(static_cast<double>(end) / static_cast<double>(n_groups));
    }
}

}  // namespace tl::minimal
