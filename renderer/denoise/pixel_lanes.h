// Groups of pixels that a thread of the denoiser processes together: eight of a row on the CPU, one
// per lane of a SIMD register; one on a GPU.
#pragma once

#include "core/base/math.h"

#if !defined(__CUDACC__)
#include "core/base/fused8.h"
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

using Pixels = float;
using PixelMask = bool;
inline constexpr int kPixels = 1;

TL_D inline float load(const float* from) {
    return *from;
}
TL_D inline void store(float* to, float value) {
    *to = value;
}
TL_D inline float lane_of(float value, int) {
    return value;
}
TL_D inline float absolute(float x) {
    return fabsf(x);
}
TL_D inline float square_root(float x) {
    return sqrtf(x);
}
/// a * b + c, rounded once.
TL_D inline float multiply_add(float a, float b, float c) {
    return fmaf(a, b, c);
}
TL_D inline float select(bool mask, float a, float b) {
    return mask ? a : b;
}
/// Whether the mask holds for any pixel of the group.
TL_D inline bool any_of(bool mask) {
    return mask;
}
/// Does nothing on a GPU, where denormal numbers cost no extra time.
struct DenormalsAsZero {
    TL_D DenormalsAsZero() {}
};
/// e^x for x <= 0.
TL_D inline float exp_of_negative(float x) {
    return __expf(x);
}

#else

using Pixels = Float8;
using PixelMask = Mask8;
inline constexpr int kPixels = 8;

inline Float8 load(const float* from) {
    return _mm256_loadu_ps(from);
}
inline void store(float* to, Float8 value) {
    _mm256_storeu_ps(to, value.v);
}
inline float lane_of(Float8 value, int i) {
    return value.lane(i);
}
inline bool any_of(Mask8 mask) {
    return mask.any();
}
inline Float8 multiply_add(Float8 a, Float8 b, Float8 c) {
    return fused(a, b, c);
}
/// While it exists, denormal results of this thread are flushed to 0. Weights of dissimilar pixels
/// are often denormal, which makes a CPU up to a hundred times slower.
class DenormalsAsZero {
  public:
    DenormalsAsZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON); }
    ~DenormalsAsZero() { _mm_setcsr(before_); }
    DenormalsAsZero(const DenormalsAsZero&) = delete;
    DenormalsAsZero& operator=(const DenormalsAsZero&) = delete;

  private:
    unsigned before_;
};
/// e^x for x <= 0, with a relative error below 6e-6; 0 where the result is below 1e-34. Computed as
/// 2^round(x log2 e) times a polynomial.
inline Float8 exp_of_negative(Float8 x) {
    constexpr float kLeast = -78, kLog2E = 1.44269504f;
    Mask8 counts = x > Float8(kLeast);
    Float8 scaled = maximum(x, Float8(kLeast)) * Float8(kLog2E);
    Float8 whole = _mm256_round_ps(scaled.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    Float8 rest = scaled - whole;  // in [-0.5, 0.5]
    Float8 power(1.3333558e-3f);
    for (float c : {9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1.0f})
        power = fused(power, rest, Float8(c));
    Int8 exponent = Int8(_mm256_cvtps_epi32(whole.v)) << 23;
    return select(counts, as_floats(as_ints(power) + exponent), Float8(0.0f));
}

#endif

TL_DEVICE_END
