// Counts with the sanitizers' hooks where there are any. Otherwise replaces the C library's
// allocation functions by counting ones, which glibc allows.
#include "tests/fuzz/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "tests/sanitized.h"

namespace tl::fuzz {
namespace {

using ExceededCall = void (*)(std::size_t);
// Starts above zero: memory that was allocated before the hooks existed may be freed later.
std::atomic<std::size_t> bytes_now{std::size_t{1} << 40}, bytes_most{0}, bytes_limit{SIZE_MAX};
std::atomic<ExceededCall> on_exceeded{nullptr};

void count_bytes(std::size_t size) {
    std::size_t now = bytes_now.fetch_add(size, std::memory_order_relaxed) + size;
    std::size_t most = bytes_most.load(std::memory_order_relaxed);
    while (now > most && !bytes_most.compare_exchange_weak(most, now)) continue;
}

void uncount_bytes(std::size_t size) {
    bytes_now.fetch_sub(size, std::memory_order_relaxed);
}

/// Checks the limit before `size` more bytes are used.
void check_limit(std::size_t size) {
    std::size_t now = bytes_now.load(std::memory_order_relaxed);
    std::size_t limit = bytes_limit.load(std::memory_order_relaxed);
    if (now <= limit && size <= limit - now) return;
    if (auto* call = on_exceeded.exchange(nullptr)) {
        bytes_limit = SIZE_MAX;
        call(size > SIZE_MAX - now ? SIZE_MAX : now + size);
    }
}

}  // namespace

std::size_t allocated_bytes() {
    return bytes_now;
}

std::size_t most_allocated_bytes() {
    return bytes_most;
}

void limit_allocations(std::size_t limit, void (*exceeded)(std::size_t)) {
    bytes_most = bytes_now.load();
    on_exceeded = exceeded;
    bytes_limit = limit;
}

}  // namespace tl::fuzz

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// The interface of the sanitizers, whose header does not come with g++.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier)
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*,
                                                                  std::size_t),
                                              void (*free_hook)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)

namespace {

void after_malloc(const volatile void*, std::size_t size) {
    tl::fuzz::check_limit(size);
    tl::fuzz::count_bytes(size);
}
void before_free(const volatile void* memory) {
    if (memory) tl::fuzz::uncount_bytes(__sanitizer_get_allocated_size(memory));
}
[[maybe_unused]] const int hooks_are_installed =
    __sanitizer_install_malloc_and_free_hooks(&after_malloc, &before_free);

}  // namespace

#else

// The names are the C library's.
// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);

static void* counted(void* memory) {
    if (memory) tl::fuzz::count_bytes(malloc_usable_size(memory));
    return memory;
}

void* malloc(std::size_t size) {
    tl::fuzz::check_limit(size);
    return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    tl::fuzz::check_limit(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
    return counted(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) {
    std::size_t before = memory ? malloc_usable_size(memory) : 0;
    if (size > before) tl::fuzz::check_limit(size - before);
    void* moved = __libc_realloc(memory, size);
    if (moved || size == 0) tl::fuzz::uncount_bytes(before);
    return counted(moved);
}
void* memalign(std::size_t alignment, std::size_t size) {
    tl::fuzz::check_limit(size);
    return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
    *memory = memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
void free(void* memory) {
    if (memory) tl::fuzz::uncount_bytes(malloc_usable_size(memory));
    __libc_free(memory);
}
}
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)
#endif
