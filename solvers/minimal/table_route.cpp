#include "solvers/minimal/table_route.h"

#include <chrono>

#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/minimal/hybrid_table.h"
#include "solvers/minimal/kernel_table.h"

namespace tl::minimal {
namespace {

/// All of the work by the CPU's threads.
class ThreadsTable final : public TableRoute {
  public:
    explicit ThreadsTable(const TableSolver& solver) : solver_(solver) {}

    void solve(std::span<const double> instances, std::span<double> solutions,
               std::span<int> counts, const ProgressPoll& poll) override {
        auto begin = std::chrono::steady_clock::now();
        solver_.solve(instances, solutions, counts, poll);
        seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    [[nodiscard]] std::vector<StageSeconds> stages() const override {
        return {{"threads", seconds_}};
    }

  private:
    const TableSolver& solver_;
    double seconds_ = 0;
};

constexpr const char* kAuto = "auto";
constexpr const char* kThreads = "threads";
constexpr const char* kKernel = "kernel";
constexpr const char* kHybrid = "hybrid";

/// The mode chosen for `auto`, and the reason.
struct Choice {
    std::string mode, reason;
};

Choice automatic_mode([[maybe_unused]] const PolynomialSystem& system, const Device& device) {
    if (device.kind() == DeviceKind::cpu) return {kThreads, ""};
#if defined(TL_HAS_CUDA)
    if (has_kernel(system)) return {kKernel, ""};
#endif
    return {kHybrid, "there is no nvcc that could compile a kernel"};
}

}  // namespace

const std::vector<TableMode>& table_modes() {
    static const std::vector<TableMode> modes{
        {kAuto, "threads on the CPU; on a GPU kernel where nvcc is found, else hybrid", true, true},
        {kThreads, "threads of the CPU, four instances in the lanes of a register", true, false},
        {kKernel, "the GPU from parameters to solutions, by a kernel that nvcc compiles once",
         false, true},
        {kHybrid,
         "the CPU makes multiplication matrices, the device finds their eigenvectors, and the CPU "
         "finishes",
         true, true}};
    return modes;
}

ChosenRoute make_table_route(const PolynomialSystem& system, const TableSolver& solver,
                             Device& device, const std::string& mode,
                             [[maybe_unused]] const ProgressPoll& poll) {
    auto choice = mode == kAuto ? automatic_mode(system, device) : Choice{mode, ""};
    auto& row = find_row(table_modes(), choice.mode, "mode of systems");
    if (!(device.kind() == DeviceKind::cuda ? row.on_cuda : row.on_cpu))
        throw UserError("mode " + row.id + " of systems does not run on " +
                        device_id(device.kind()));
    std::unique_ptr<TableRoute> route;
    if (row.id == kThreads) route = std::make_unique<ThreadsTable>(solver);
    if (row.id == kHybrid) route = make_hybrid_table(solver.functions(), device);
#if defined(TL_HAS_CUDA)
    if (row.id == kKernel) route = make_kernel_table(system, solver.functions(), device, poll);
#endif
    return {std::move(route), row.id, choice.reason};
}

}  // namespace tl::minimal
