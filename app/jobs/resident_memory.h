// How much of the machine's memory the process uses.
#pragma once

#include <cstddef>

namespace tl {

/// Bytes of the process that lie in the machine's memory, those of shared libraries included; 0
/// where the system does not say.
[[nodiscard]] std::size_t resident_bytes();
/// Those of them that are pages of files, code above all: the system reads them as they are used,
/// and may drop them.
[[nodiscard]] std::size_t resident_file_bytes();
/// Bytes that the program and its libraries have allocated and not freed.
[[nodiscard]] std::size_t allocated_bytes();

/// Makes the allocator give large blocks back to the system when they are freed, from now on.
void return_freed_memory();

/// Gives back what is free in between; takes milliseconds. May be called by any thread.
void trim_free_memory();

}  // namespace tl
