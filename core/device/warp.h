// Reductions over all 32 lanes of a warp: one instruction from compute capability 8.0 on, five
// shuffles on older GPUs. Only files compiled by nvcc include this header.
#pragma once

#include <cstdint>

namespace tl::cuda {

inline constexpr std::uint32_t kWholeWarp = 0xffffffffu;

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
#define TL_WARP_REDUCTION(name, intrinsic, combine)             \
    __device__ inline std::uint32_t name(std::uint32_t value) { \
        return intrinsic(kWholeWarp, value);                    \
    }
#else
#define TL_WARP_REDUCTION(name, intrinsic, combine)                   \
    __device__ inline std::uint32_t name(std::uint32_t a) {           \
        for (int offset = 16; offset > 0; offset /= 2) {              \
            std::uint32_t b = __shfl_xor_sync(kWholeWarp, a, offset); \
            a = combine;                                              \
        }                                                             \
        return a;                                                     \
    }
#endif

TL_WARP_REDUCTION(warp_sum, __reduce_add_sync, a + b)
TL_WARP_REDUCTION(warp_minimum, __reduce_min_sync, a < b ? a : b)
TL_WARP_REDUCTION(warp_maximum, __reduce_max_sync, a > b ? a : b)
TL_WARP_REDUCTION(warp_or, __reduce_or_sync, a | b)

#undef TL_WARP_REDUCTION

}  // namespace tl::cuda
