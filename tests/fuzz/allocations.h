// Counts the bytes that this process has allocated by malloc or new, and calls back at a limit.
#pragma once

#include <cstddef>

namespace tl::fuzz {

/// Bytes that are allocated now, plus a constant.
[[nodiscard]] std::size_t allocated_bytes();
/// Maximum of allocated_bytes() since the last call of limit_allocations.
[[nodiscard]] std::size_t most_allocated_bytes();

/// Sets a limit: the first allocation that would make allocated_bytes() exceed `limit` calls
/// `exceeded` with the resulting total, before its memory is touched.
void limit_allocations(std::size_t limit, void (*exceeded)(std::size_t));

}  // namespace tl::fuzz
