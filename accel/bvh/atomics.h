// The atomic exchange that builders climb by, and floats in an order that integer atomics keep.
#pragma once

#include <cstdint>
#include <cstring>

#include "accel/parallel/macros.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
__device__ inline std::uint32_t atomic_exchange(std::uint32_t* at, std::uint32_t value) {
    __threadfence();  // what this thread wrote is seen by whoever reads `value`
    std::uint32_t old = atomicExch(at, value);
    __threadfence();
    return old;
}
#else
inline std::uint32_t atomic_exchange(std::uint32_t* at, std::uint32_t value) {
    return std::atomic_ref(*at).exchange(value, std::memory_order_acq_rel);
}
#endif

/// Floats as unsigned integers of the same order, for atomic minima and maxima.
TL_HD inline std::uint32_t ordered_from_float(float value) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
TL_HD inline float float_from_ordered(std::uint32_t ordered) {
    std::uint32_t bits = ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TL_DEVICE_END
