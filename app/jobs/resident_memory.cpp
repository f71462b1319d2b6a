#include "app/jobs/resident_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace tl {

namespace {

/// Bytes of a field of /proc/self/statm, which counts pages: 1 resident, 2 resident and
/// file-backed.
std::size_t bytes_of_field(int index) {
    std::size_t pages = 0;
    std::ifstream file("/proc/self/statm");
    for (int k = 0; k <= index; ++k)
        if (!(file >> pages)) return 0;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::size_t resident_bytes() {
    return bytes_of_field(1);
}

std::size_t resident_file_bytes() {
    return bytes_of_field(2);
}

std::size_t allocated_bytes() {
    auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void return_freed_memory() {
    // The default threshold rises with the largest freed block, up to 32 MiB. Blocks below it stay
    // in the heap, between others that are still in use.
    constexpr int kSeparate = 1 << 16;
    // Each arena keeps its free memory, so few arenas keep little. Long work allocates seldom.
    constexpr int kMostArenas = 4;
    mallopt(M_MMAP_THRESHOLD, kSeparate);
    mallopt(M_ARENA_MAX, kMostArenas);
}

void trim_free_memory() {
    malloc_trim(0);
}

}  // namespace tl
