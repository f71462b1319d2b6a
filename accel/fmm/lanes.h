// Numbers of which kernels handle several at once: eight on the CPU, in one register; one on a GPU,
// where neighbouring threads have the others.
#pragma once

#include "accel/parallel/math.h"

#if !defined(__CUDACC__)
#include "accel/parallel/simd8.h"
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

using Lanes = float;
inline constexpr std::uint32_t kLanes = 1;

/// 1 / sqrt(x) within two units in the last place, of positive, normal x; of 0 infinity.
__device__ inline float reciprocal_root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline float where_positive(float x, float value) {
    return x > 0 ? value : 0.0f;
}

#else

using Lanes = Float8;
inline constexpr std::uint32_t kLanes = 8;

/// The estimate has twelve bits; a step of Newton's method doubles them.
inline Float8 reciprocal_root(Float8 x) {
    Float8 y = _mm256_rsqrt_ps(x.v);
    return y * (Float8(1.5f) - Float8(0.5f) * x * y * y);
}
inline Float8 where_positive(Float8 x, Float8 value) {
    return _mm256_and_ps((x > Float8(0.0f)).bits, value.v);
}

#endif

TL_DEVICE_END
