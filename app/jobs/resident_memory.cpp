#include "app/jobs/resident_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace tl {

std::size_t resident_bytes() {
    std::size_t all_pages = 0, resident_pages = 0;
    std::ifstream file("/proc/self/statm");
    if (!(file >> all_pages >> resident_pages)) return 0;
    return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t allocated_bytes() {
    auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void return_freed_memory() {
    // By default the limit rises with the largest block that was freed, up to 32 MiB, and blocks
    // below it stay in the heap, between others that are still used.
    constexpr int kSeparate = 1 << 16;
    // Each arena keeps what is free in it: few of them leave little. Long work allocates seldom.
    constexpr int kMostArenas = 4;
    mallopt(M_MMAP_THRESHOLD, kSeparate);
    mallopt(M_ARENA_MAX, kMostArenas);
}

void trim_free_memory() {
    malloc_trim(0);
}

}  // namespace tl
