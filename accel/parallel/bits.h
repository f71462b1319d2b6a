// Bits of a word, in one instruction on both devices.
#pragma once

#include <cstdint>

#include "accel/parallel/macros.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
__device__ inline int bit_count(std::uint32_t bits) {
    return __popc(bits);
}
/// Of a word that is not 0, as highest_bit().
__device__ inline int lowest_bit(std::uint32_t bits) {
    return __ffs(static_cast<int>(bits)) - 1;
}
__device__ inline int highest_bit(std::uint32_t bits) {
    return 31 - __clz(static_cast<int>(bits));
}
#else
inline int bit_count(std::uint32_t bits) {
    return __builtin_popcount(bits);
}
/// Of a word that is not 0, as highest_bit().
inline int lowest_bit(std::uint32_t bits) {
    return __builtin_ctz(bits);
}
inline int highest_bit(std::uint32_t bits) {
    return 31 - __builtin_clz(bits);
}
#endif

TL_DEVICE_END
