// Atomic compare-and-swap, by which threads claim slots of a hash table.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

/// Replaces the word by `value` if it equals `expected`; returns the old word. Relaxed order:
/// publishes no other writes.
#if defined(__CUDACC__)
__device__ inline std::uint64_t atomic_compare_exchange(std::uint64_t* at, std::uint64_t expected,
                                                        std::uint64_t value) {
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    return atomicCAS(reinterpret_cast<unsigned long long*>(at), expected, value);
}
#else
inline std::uint64_t atomic_compare_exchange(std::uint64_t* at, std::uint64_t expected,
                                             std::uint64_t value) {
    std::atomic_ref(*at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
    return expected;
}
#endif

TL_DEVICE_END
