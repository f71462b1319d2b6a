#include "solvers/solver.h"

namespace tl {

const std::vector<SolverFamily>& solver_families() {
    static const std::vector<SolverFamily> table{
        {"svd", "Singular values", "Singular value decomposition A = U S V^T"},
    };
    return table;
}

void require_memory(const Device& device, std::uint64_t bytes, const std::string& what,
                    const std::string& advice) {
    auto memory = device.memory_stats();
    if (bytes <= memory.bytes_free) return;
    throw UserError(what + " needs about " + std::to_string(bytes >> 20) + " MB on " +
                    device_id(device.kind()) + ", where " +
                    std::to_string(memory.bytes_free >> 20) + " MB are free: " + advice);
}

}  // namespace tl
