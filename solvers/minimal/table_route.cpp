#include "solvers/minimal/table_route.h"

#include <chrono>

#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/minimal/hybrid_table.h"
#include "solvers/minimal/kernel_table.h"
#include "solvers/minimal/solver_kernel.h"

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

/// The mode chosen for `auto`, and the problem that leaves no kernel.
struct Choice {
    std::string mode, reason;
};

Choice automatic_mode([[maybe_unused]] const PolynomialSystem& system, const Device& device,
                      [[maybe_unused]] std::size_t count) {
    if (device.kind() == DeviceKind::cpu) return {kThreads, ""};
#if defined(TL_HAS_CUDA)
    if (has_compiled_kernel(system, device)) return {kKernel, ""};
    // The hybrid is as fast as threads for so few, and still runs on the requested device.
    if (count < kFewInstances) return {kHybrid, ""};
    if (!cuda_compiler().empty()) return {kKernel, ""};
#endif
    return {kHybrid, "there is no nvcc that could compile a kernel"};
}

/// The route of a mode that the device has.
std::unique_ptr<TableRoute> make_route([[maybe_unused]] const PolynomialSystem& system,
                                       const TableSolver& solver, Device& device,
                                       const std::string& mode,
                                       [[maybe_unused]] const ProgressPoll& poll) {
    if (mode == kThreads) return std::make_unique<ThreadsTable>(solver);
#if defined(TL_HAS_CUDA)
    if (mode == kKernel) return make_kernel_table(system, solver.functions(), device, poll);
#endif
    return make_hybrid_table(solver.functions(), device);
}

}  // namespace

const std::vector<TableMode>& table_modes() {
    static const std::vector<TableMode> modes{
        {kAuto,
         "threads on the CPU; on a GPU kernel where it is compiled, or for " +
             std::to_string(kFewInstances) + " instances and more where nvcc is found, else hybrid",
         true, true},
        {kThreads, "threads of the CPU, four instances in the lanes of a register", true, false},
        {kKernel,
         "the GPU from parameters to solutions, by a thread or a warp for each instance; nvcc "
         "compiles it once",
         false, true},
        {kHybrid,
         "the CPU makes multiplication matrices, the device finds their eigenvectors, and the CPU "
         "finishes",
         true, true}};
    return modes;
}

void check_table_mode(const Device& device, const std::string& mode) {
    auto& row = find_row(table_modes(), mode, "mode of systems");
    if (!(device.kind() == DeviceKind::cuda ? row.on_cuda : row.on_cpu))
        throw UserError("mode " + row.id + " of systems does not run on " +
                        device_id(device.kind()));
}

ChosenRoute make_table_route(const PolynomialSystem& system, const TableSolver& solver,
                             Device& device, const std::string& mode, std::size_t count,
                             const ProgressPoll& poll) {
    check_table_mode(device, mode);
    auto choice = mode == kAuto ? automatic_mode(system, device, count) : Choice{mode, ""};
    try {
        return {make_route(system, solver, device, choice.mode, poll), choice.mode, choice.reason};
    } catch (const UserError& error) {
        // nvcc may not fit the host's compiler or the GPU, the driver or memory not the kernel.
        if (mode != kAuto || choice.mode != kKernel) throw;
        choice = {kHybrid, error.what()};
    }
    return {make_route(system, solver, device, choice.mode, poll), choice.mode, choice.reason};
}

}  // namespace tl::minimal
