// Bit operations on a word that take one instruction on both devices.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
__device__ inline int bit_count(std::uint32_t bits) {
    return __popc(bits);
}
/// The index of the lowest set bit; as for highest_bit(), the word must not be 0.
__device__ inline int lowest_bit(std::uint32_t bits) {
    return __ffs(static_cast<int>(bits)) - 1;
}
__device__ inline int highest_bit(std::uint32_t bits) {
    return 31 - __clz(static_cast<int>(bits));
}
__device__ inline int highest_bit(std::uint64_t bits) {
    return 63 - __clzll(static_cast<long long>(bits));
}
#else
inline int bit_count(std::uint32_t bits) {
    return __builtin_popcount(bits);
}
/// The index of the lowest set bit; as for highest_bit(), the word must not be 0.
inline int lowest_bit(std::uint32_t bits) {
    return __builtin_ctz(bits);
}
inline int highest_bit(std::uint32_t bits) {
    return 31 - __builtin_clz(bits);
}
inline int highest_bit(std::uint64_t bits) {
    return 63 - __builtin_clzll(bits);
}
#endif

TL_DEVICE_END
