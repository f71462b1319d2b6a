// Vectors of float or double: a register of AVX2 on the CPU, eight or four lanes. On a GPU a thread
// has a single number, and neighbouring threads have the others.
#pragma once

#include "core/base/math.h"

#if !defined(__CUDACC__)
#include <immintrin.h>

#include "core/base/simd8.h"

// Vector functions of the C library (libmvec, within 4 ulp), for AVX2.
extern "C" {
__m256d _ZGVdN4v_exp(__m256d);
__m256d _ZGVdN4v_log(__m256d);
__m256 _ZGVdN8v_expf(__m256);
__m256 _ZGVdN8v_logf(__m256);
}
#endif

TL_DEVICE_BEGIN

namespace pairs {

#if defined(__CUDACC__)

template <class Real>
using Wide = Real;
/// Lanes of a vector.
template <class Real>
inline constexpr int kWideLanes = 1;

template <class Real>
__device__ inline Real load_wide(const Real* from) {
    return *from;
}
template <class Real>
__device__ inline void store_wide(Real* to, Real value) {
    *to = value;
}
template <class Real>
__device__ inline void set_lane(Real& wide, int, Real value) {
    wide = value;
}
template <class Real>
__device__ inline Real lane_of(Real wide, int) {
    return wide;
}
template <class Real>
__device__ inline Real sum_of_lanes(Real wide) {
    return wide;
}
__device__ inline float reciprocal_root(float x) {
    return rsqrtf(x);
}
__device__ inline double reciprocal_root(double x) {
    return rsqrt(x);
}
template <class Real>
__device__ inline Real square_root(Real x) {
    return sqrt(x);
}
template <class Real>
__device__ inline Real exponential(Real x) {
    return exp(x);
}
template <class Real>
__device__ inline Real logarithm(Real x) {
    return log(x);
}
/// `value` where x is positive, else 0.
template <class Real>
__device__ inline Real where_positive(Real x, Real value) {
    return x > 0 ? value : Real(0);
}

#else

struct Double4 {
    __m256d v;

    Double4() = default;
    Double4(__m256d v) : v(v) {}
    Double4(double x) : v(_mm256_set1_pd(x)) {}
};
inline Double4 operator+(Double4 a, Double4 b) {
    return a.v + b.v;
}
inline Double4 operator-(Double4 a, Double4 b) {
    return a.v - b.v;
}
inline Double4 operator*(Double4 a, Double4 b) {
    return a.v * b.v;
}
inline Double4 operator/(Double4 a, Double4 b) {
    return a.v / b.v;
}
inline Double4 operator-(Double4 a) {
    return _mm256_xor_pd(a.v, _mm256_set1_pd(-0.0));
}

template <class Real>
using Wide = std::conditional_t<sizeof(Real) == 4, Float8, Double4>;
/// Lanes of a vector.
template <class Real>
inline constexpr int kWideLanes = 32 / sizeof(Real);

inline Float8 load_wide(const float* from) {
    return _mm256_loadu_ps(from);
}
inline Double4 load_wide(const double* from) {
    return _mm256_loadu_pd(from);
}
inline void store_wide(float* to, Float8 value) {
    _mm256_storeu_ps(to, value.v);
}
inline void store_wide(double* to, Double4 value) {
    _mm256_storeu_pd(to, value.v);
}
inline void set_lane(Float8& wide, int lane, float value) {
    wide.v[lane] = value;
}
inline void set_lane(Double4& wide, int lane, double value) {
    wide.v[lane] = value;
}
inline float lane_of(Float8 wide, int lane) {
    return wide.v[lane];
}
inline double lane_of(Double4 wide, int lane) {
    return wide.v[lane];
}
inline double sum_of_lanes(Double4 a) {
    return (a.v[0] + a.v[1]) + (a.v[2] + a.v[3]);
}
inline float sum_of_lanes(Float8 a) {
    return ((a.v[0] + a.v[1]) + (a.v[2] + a.v[3])) + ((a.v[4] + a.v[5]) + (a.v[6] + a.v[7]));
}
/// The estimate has twelve bits; a step of Newton's method doubles them.
inline Float8 reciprocal_root(Float8 x) {
    Float8 y = _mm256_rsqrt_ps(x.v);
    return y * (Float8(1.5f) - Float8(0.5f) * x * y * y);
}
inline Double4 reciprocal_root(Double4 x) {
    // Beyond the range of floats there is no estimate.
    auto is_beyond = _mm256_or_pd(_mm256_cmp_pd(x.v, _mm256_set1_pd(1e-35), _CMP_LT_OQ),
                                  _mm256_cmp_pd(x.v, _mm256_set1_pd(1e35), _CMP_GT_OQ));
    if (_mm256_movemask_pd(is_beyond) != 0) return Double4(1.0).v / _mm256_sqrt_pd(x.v);
    Double4 y = _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x.v)));
    Double4 half = Double4(0.5) * x;
    for (int i = 0; i < 3; ++i) y = y * (Double4(1.5) - half * y * y);
    return y;
}
inline Double4 square_root(Double4 x) {
    return _mm256_sqrt_pd(x.v);
}
inline Float8 exponential(Float8 x) {
    return _ZGVdN8v_expf(x.v);
}
inline Double4 exponential(Double4 x) {
    return _ZGVdN4v_exp(x.v);
}
inline Float8 logarithm(Float8 x) {
    return _ZGVdN8v_logf(x.v);
}
inline Double4 logarithm(Double4 x) {
    return _ZGVdN4v_log(x.v);
}
/// `value` where x is positive, else 0.
inline Float8 where_positive(Float8 x, Float8 value) {
    return _mm256_and_ps((x > Float8(0.0f)).bits, value.v);
}
inline Double4 where_positive(Double4 x, Double4 value) {
    return _mm256_and_pd(_mm256_cmp_pd(x.v, _mm256_setzero_pd(), _CMP_GT_OQ), value.v);
}

#endif

/// The least multiple of the number of lanes that is at least n.
template <class Real>
TL_HD constexpr int whole_lanes(int n) {
    return (n + kWideLanes<Real> - 1) / kWideLanes<Real> * kWideLanes<Real>;
}

}  // namespace pairs

TL_DEVICE_END
