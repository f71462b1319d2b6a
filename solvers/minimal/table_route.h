// Ways to solve many instances of a polynomial system: by the CPU, by a GPU, or by both (Cvrcek
// 2016, chapter 3 and figure 6.5).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "solvers/minimal/table_solver.h"

namespace tl::minimal {

/// Time that a stage has taken over all instances. Stages of a route overlap.
struct StageSeconds {
    std::string name;
    double seconds = 0;
};

class TableRoute {
  public:
    virtual ~TableRoute() = default;
    /// Solves instances as TableSolver::solve() does, and waits. Throws UserError if memory is
    /// insufficient, and what `poll` throws. One call at a time.
    virtual void solve(std::span<const double> instances, std::span<double> solutions,
                       std::span<int> counts, const ProgressPoll& poll = {}) = 0;
    /// Stages of the last solve(), in the order of the work.
    [[nodiscard]] virtual std::vector<StageSeconds> stages() const = 0;
};

/// A row of the table of modes.
struct TableMode {
    std::string id;    ///< for flags: "hybrid"
    std::string help;  ///< one sentence
    bool on_cpu, on_cuda;
};
/// The modes: auto, threads of the CPU, a kernel of the GPU, or hybrid.
[[nodiscard]] const std::vector<TableMode>& table_modes();

/// Throws UsageError for an unknown mode, and UserError if the device does not have it.
void check_table_mode(const Device& device, const std::string& mode);

/// Number of instances below which `auto` compiles no kernel: a GPU saves a few milliseconds of
/// 4096 instances at most, and nvcc takes many seconds.
inline constexpr std::size_t kFewInstances = 4096;

/// A route and its mode.
struct ChosenRoute {
    std::unique_ptr<TableRoute> route;
    std::string mode;
    std::string reason;  ///< the problem for which `auto` has chosen no kernel of a GPU; or ""
};

/// The route of a mode on a device, for about `count` instances a solve. `system` and `solver` must
/// outlive the route. Throws as check_table_mode() does, UserError if the kernel of mode `kernel`
/// cannot be compiled or loaded, and what `poll` throws. `auto` then takes another mode.
[[nodiscard]] ChosenRoute make_table_route(const PolynomialSystem& system,
                                           const TableSolver& solver, Device& device,
                                           const std::string& mode, std::size_t count,
                                           const ProgressPoll& poll = {});

}  // namespace tl::minimal
