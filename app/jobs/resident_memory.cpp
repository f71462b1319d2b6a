#include "app/jobs/resident_memory.h"

#include <unistd.h>

#include <fstream>

namespace tl {

std::size_t resident_bytes() {
    std::size_t all_pages = 0, resident_pages = 0;
    std::ifstream file("/proc/self/statm");
    if (!(file >> all_pages >> resident_pages)) return 0;
    return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace tl
