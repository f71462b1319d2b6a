#include "solvers/minimal/table_solver.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>

#include "solvers/minimal/compiler.h"
#include "solvers/minimal/lane_solver.h"
#include "solvers/minimal/solver_writer.h"

namespace tl::minimal {

TableSolver::TableSolver(const PolynomialSystem& system, const ProgressPoll& poll) {
    path_ = cached_path(system, "", ".so");
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
    std::size_t n_groups = (counts.size() + kInstanceLanes - 1) / kInstanceLanes;
    std::size_t grain = groups_per_task(functions);
    auto solve_groups = [&](const tbb::blocked_range<std::size_t>& part) {
        LaneSolver lanes(functions);
        for (std::size_t group = part.begin(); group < part.end(); ++group) {
            std::size_t first = group * kInstanceLanes;
            SolutionWriter writer{&solutions[first * n_numbers], &counts[first],
                                  std::min(kInstanceLanes, counts.size() - first),
                                  functions.n_solutions, functions.n_unknowns};
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
