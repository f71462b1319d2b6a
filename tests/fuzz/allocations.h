// Counts the bytes that this process has allocated by malloc or new, and stops it at a limit.
#pragma once

#include <cstddef>

namespace tl::fuzz {

/// Bytes that are allocated now, plus a constant.
[[nodiscard]] std::size_t allocated_bytes();
/// The most of them since the last call of limit_allocations.
[[nodiscard]] std::size_t most_allocated_bytes();

/// From now on an allocation that makes allocated_bytes() exceed `limit` calls `exceeded` with what
/// it would become, once; the memory is not touched before.
void limit_allocations(std::size_t limit, void (*exceeded)(std::size_t));

}  // namespace tl::fuzz
