#include "solvers/solver.h"

namespace tl {

void require_memory(const Device& device, std::uint64_t bytes, const std::string& what) {
    auto memory = device.memory_stats();
    if (bytes <= memory.bytes_free) return;
    throw UserError(what + " needs about " + std::to_string(bytes >> 20) + " MB on " +
                    device_id(device.kind()) + ", where " +
                    std::to_string(memory.bytes_free >> 20) +
                    " MB are free: ask for a smaller matrix, for float instead of double, or for "
                    "fewer vectors");
}

}  // namespace tl
