// How much of the machine's memory the process uses.
#pragma once

#include <cstddef>

namespace tl {

/// Bytes of the process that lie in the machine's memory, those of shared libraries included; 0
/// where the system does not say.
[[nodiscard]] std::size_t resident_bytes();

}  // namespace tl
