// Memory use of the process, and return of freed memory to the system.
#pragma once

#include <cstddef>

namespace tl {

/// Resident bytes of the process, shared libraries included; 0 where the system does not report
/// them.
[[nodiscard]] std::size_t resident_bytes();
/// Resident bytes of file-backed pages, code above all. The system reads them on use and may drop
/// them.
[[nodiscard]] std::size_t resident_file_bytes();
/// Bytes that the program and its libraries have allocated and not freed.
[[nodiscard]] std::size_t allocated_bytes();

/// Makes the allocator give large blocks back to the system when they are freed, from now on.
void return_freed_memory();

/// Returns free memory between used blocks to the system; takes milliseconds. May be called by any
/// thread.
void trim_free_memory();

}  // namespace tl
