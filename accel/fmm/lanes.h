// Vectors of floats: eight lanes of one register on the CPU. On a GPU a thread has a single float,
// and neighbouring threads have the others.
#pragma once

#include "core/base/math.h"

#if !defined(__CUDACC__)
#include "core/base/simd8.h"
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

using Lanes = float;
inline constexpr std::uint32_t kLanes = 1;

/// 1 / sqrt(x) to within 2 ulp for positive, normal x; infinity for 0.
__device__ inline float reciprocal_root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ inline float where_positive(float x, float value) {
    return x > 0 ? value : 0.0f;
}
__device__ inline void set_lane(float& lanes, int, float value) {
    lanes = value;
}
__device__ inline float sum_of_lanes(float lanes) {
    return lanes;
}
/// lanes[i] = word i of the row of each lane, for the words of a thread of `n_threads`.
__device__ inline void load_words(const float* const (&rows)[kLanes], std::uint32_t n,
                                  std::uint32_t thread, std::uint32_t n_threads, Lanes* lanes) {
    for (std::uint32_t i = thread; i < n; i += n_threads) lanes[i] = rows[0][i];
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
inline void set_lane(Float8& lanes, int lane, float value) {
    lanes.set_lane(lane, value);
}
inline float sum_of_lanes(Float8 lanes) {
    float sum = lanes.lane(0);
    for (int i = 1; i < 8; ++i) sum += lanes.lane(i);
    return sum;
}
/// Lane k of to[i] is rows[k][i], for eight rows of eight.
inline void transpose(const float* const (&rows)[8], Float8* to) {
    __m256 pairs[8], fours[8];
    for (int i = 0; i < 4; ++i) {
        __m256 a = _mm256_loadu_ps(rows[2 * i]), b = _mm256_loadu_ps(rows[2 * i + 1]);
        pairs[2 * i] = _mm256_unpacklo_ps(a, b);
        pairs[2 * i + 1] = _mm256_unpackhi_ps(a, b);
    }
    for (int half = 0; half < 8; half += 4)
        for (int i = 0; i < 2; ++i) {
            __m256 a = pairs[half + i], b = pairs[half + 2 + i];
            fours[half + 2 * i] = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 1, 0));
            fours[half + 2 * i + 1] = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(3, 2, 3, 2));
        }
    for (int i = 0; i < 4; ++i) {
        to[i] = _mm256_permute2f128_ps(fours[i], fours[4 + i], 0x20);
        to[4 + i] = _mm256_permute2f128_ps(fours[i], fours[4 + i], 0x31);
    }
}
inline void load_words(const float* const (&rows)[kLanes], std::uint32_t n, std::uint32_t,
                       std::uint32_t, Lanes* lanes) {
    std::uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const float* from[8];
        for (int k = 0; k < 8; ++k) from[k] = rows[k] + i;
        transpose(from, lanes + i);
    }
    for (; i < n; ++i)
        lanes[i] = _mm256_setr_ps(rows[0][i], rows[1][i], rows[2][i], rows[3][i], rows[4][i],
                                  rows[5][i], rows[6][i], rows[7][i]);
}

#endif

TL_DEVICE_END
