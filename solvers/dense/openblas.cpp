#include "solvers/dense/openblas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <thread>

#include "core/base/host_memory.h"

namespace tl::late {
namespace {

/// The threads that OpenBLAS starts when it is opened.
std::uint64_t threads_at_start() {
    constexpr int kDecimal = 10;
    const char* asked = std::getenv("OPENBLAS_NUM_THREADS");
    auto n = asked ? std::strtol(asked, nullptr, kDecimal) : 0L;
    return n > 0 ? static_cast<std::uint64_t>(n) : std::thread::hardware_concurrency();
}

/// Without memory for its threads OpenBLAS tries again forever. It maps a buffer of 128 MB for each
/// thread that computes, when that first does; its stack and its allocator's arena add to that.
void require_room() {
    constexpr std::uint64_t kLibrary = 64 << 20, kThread = 208 << 20;
    require_address_space(kLibrary + kThread * threads_at_start(), "OpenBLAS");
}

/// Whether it is to run only in the calling thread; changed while it is locked.
bool keeps_to_its_thread = false;

void apply_threads(void* handle) {
    auto set = reinterpret_cast<decltype(&openblas_set_num_threads)>(
        dlsym(handle, "openblas_set_num_threads"));
    if (set && keeps_to_its_thread) set(1);
}

}  // namespace

const LateLibrary openblas("OpenBLAS", "libopenblas.so.0", TL_OPENBLAS_FOLDER, "libopenblas0",
                           {require_room, apply_threads});

void keep_openblas_to_its_thread() {
    openblas.with_handle([](void* handle) {
        keeps_to_its_thread = true;
        if (handle) apply_threads(handle);
    });
}

}  // namespace tl::late
