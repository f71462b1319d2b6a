// Arithmetic of the batched eigenvalue kernels, written once for one matrix (float or double) and
// for several at once. Pack has a matrix in each lane of an AVX2 register; branches become a Mask
// that selects.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/macros.h"

#if !defined(__CUDACC__)
#include <immintrin.h>
#endif

TL_DEVICE_BEGIN

namespace eigen {

/// The layout of float and double.
template <class T>
struct Bits;
template <>
struct Bits<double> {
    using Int = std::int64_t;
    static constexpr int kFraction = 52;
    static constexpr Int kLargest = 2045;  ///< exponent whose power and inverse are normal numbers
    static constexpr double kWhole = 0x1p52;  ///< numbers from this on are whole, in steps of 1
    static constexpr int kStep = 1000;        ///< exponent of a factor of times_power()
};
template <>
struct Bits<float> {
    using Int = std::int32_t;
    static constexpr int kFraction = 23;
    static constexpr Int kLargest = 253;
    static constexpr float kWhole = 0x1p23f;
    static constexpr int kStep = 120;
};

// One matrix: a Real is a float or double, a Mask a bool.

template <class T>
requires std::is_arithmetic_v<T> TL_D T select(bool mask, T a, T b) {
    return mask ? a : b;
}
TL_D inline bool all_of(bool mask) {
    return mask;
}
TL_D inline bool any_of(bool mask) {
    return mask;
}
TL_D inline float absolute(float x) {
    return fabsf(x);
}
TL_D inline double absolute(double x) {
    return fabs(x);
}
TL_D inline float square_root(float x) {
    return sqrtf(x);
}
TL_D inline double square_root(double x) {
    return sqrt(x);
}
TL_D inline float rounded_down(float x) {
    return floorf(x);
}
TL_D inline double rounded_down(double x) {
    return floor(x);
}
/// The magnitude of `a` with the sign of `sign`.
TL_D inline float with_sign(float a, float sign) {
    return copysignf(a, sign);
}
TL_D inline double with_sign(double a, double sign) {
    return copysign(a, sign);
}
/// The power of two at or below |x|, clamped so that its inverse is a normal number too.
template <class T>
requires std::is_floating_point_v<T> TL_D T power_below(T x) {
    using B = Bits<T>;
    typename B::Int field = std::bit_cast<typename B::Int>(absolute(x)) >> B::kFraction;
    field = field < 1 ? 1 : field > B::kLargest ? B::kLargest : field;
    return std::bit_cast<T>(field << B::kFraction);
}
/// The inverse of a result of power_below(), exactly.
template <class T>
requires std::is_floating_point_v<T> TL_D T inverse_power(T power) {
    using B = Bits<T>;
    return std::bit_cast<T>(((B::kLargest + 1) << B::kFraction) -
                            std::bit_cast<typename B::Int>(power));
}
/// A power of two near sqrt(a / b); a and b are above 0 and at most about 1000.
template <class T>
requires std::is_floating_point_v<T> TL_D T root_power(T a, T b) {
    using B = Bits<T>;
    using Int = typename B::Int;
    Int difference = (std::bit_cast<Int>(a) >> B::kFraction) -
                     (std::bit_cast<Int>(b) >> B::kFraction) + B::kLargest + 3;
    return std::bit_cast<T>(((difference >> 1) - 1) << B::kFraction);
}
/// The exponent of a normal number: e for a magnitude from 2^e up to 2^(e + 1).
template <class T>
requires std::is_floating_point_v<T> TL_D T exponent_of_normal(T x) {
    using B = Bits<T>;
    return static_cast<T>((std::bit_cast<typename B::Int>(absolute(x)) >> B::kFraction) -
                          (B::kLargest + 1) / 2);
}
/// 2^e for a whole e whose power is a normal number.
template <class T>
requires std::is_floating_point_v<T> TL_D T power_of(T e) {
    using B = Bits<T>;
    auto field = static_cast<typename B::Int>(e) + (B::kLargest + 1) / 2;
    return std::bit_cast<T>(field << B::kFraction);
}

#if !defined(__CUDACC__)

/// The compiler's vectors of 32 bytes.
template <class T>
struct Vectors;
template <>
struct Vectors<double> {
    typedef double Reals __attribute__((vector_size(32)));
    typedef std::int64_t Ints __attribute__((vector_size(32)));
};
template <>
struct Vectors<float> {
    typedef float Reals __attribute__((vector_size(32)));
    typedef std::int32_t Ints __attribute__((vector_size(32)));
};

/// A boolean per lane: all bits of the lane.
template <class T>
struct PackMask {
    typename Vectors<T>::Ints v;
};
/// A number per lane: four doubles or eight floats.
template <class T>
struct Pack {
    using Vector = typename Vectors<T>::Reals;
    using Ints = typename Vectors<T>::Ints;
    static constexpr int kLanes = 32 / sizeof(T);
    Vector v;

    Pack() = default;
    Pack(Vector v) : v(v) {}
    Pack(T x) : v(x - Vector{}) {}  // a sum would lose the sign of -0
    explicit Pack(int x) : Pack(static_cast<T>(x)) {}
    [[nodiscard]] Ints bits() const { return reinterpret_cast<Ints>(v); }
    static Pack of_bits(Ints bits) { return reinterpret_cast<Vector>(bits); }
    Pack& operator+=(Pack b) { return v += b.v, *this; }
    Pack& operator-=(Pack b) { return v -= b.v, *this; }
    Pack& operator*=(Pack b) { return v *= b.v, *this; }

    friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
    friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
    friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
    friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
    friend Pack operator-(Pack a) { return -a.v; }
    friend PackMask<T> operator<(Pack a, Pack b) { return {a.v < b.v}; }
    friend PackMask<T> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
    friend PackMask<T> operator>(Pack a, Pack b) { return {a.v > b.v}; }
    friend PackMask<T> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
    friend PackMask<T> operator==(Pack a, Pack b) { return {a.v == b.v}; }
};

template <class T>
PackMask<T> operator&(PackMask<T> a, PackMask<T> b) {
    return {a.v & b.v};
}
template <class T>
PackMask<T> operator|(PackMask<T> a, PackMask<T> b) {
    return {a.v | b.v};
}
template <class T>
PackMask<T> operator!(PackMask<T> a) {
    return {~a.v};
}
template <class T>
Pack<T> select(PackMask<T> mask, Pack<T> a, Pack<T> b) {
    return mask.v ? a.v : b.v;
}
inline unsigned lanes_of(PackMask<double> mask) {
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask.v)));
}
inline unsigned lanes_of(PackMask<float> mask) {
    return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask.v)));
}
template <class T>
bool any_of(PackMask<T> mask) {
    return lanes_of(mask) != 0;
}
template <class T>
bool all_of(PackMask<T> mask) {
    return lanes_of(mask) == (1u << Pack<T>::kLanes) - 1;
}
inline Pack<double> square_root(Pack<double> a) {
    return Pack<double>(_mm256_sqrt_pd(a.v));
}
inline Pack<float> square_root(Pack<float> a) {
    return Pack<float>(_mm256_sqrt_ps(a.v));
}
inline Pack<double> rounded_down(Pack<double> a) {
    return Pack<double>(_mm256_floor_pd(a.v));
}
inline Pack<float> rounded_down(Pack<float> a) {
    return Pack<float>(_mm256_floor_ps(a.v));
}
template <class T>
typename Pack<T>::Ints sign_bits() {
    return Pack<T>(T(-0.0)).bits();
}
template <class T>
Pack<T> absolute(Pack<T> a) {
    return Pack<T>::of_bits(a.bits() & ~sign_bits<T>());
}
template <class T>
Pack<T> with_sign(Pack<T> a, Pack<T> sign) {
    return Pack<T>::of_bits((a.bits() & ~sign_bits<T>()) | (sign.bits() & sign_bits<T>()));
}
template <class T>
Pack<T> power_below(Pack<T> x) {
    using B = Bits<T>;
    auto field = absolute(x).bits() >> B::kFraction;
    auto least = typename Pack<T>::Ints{} + 1, most = typename Pack<T>::Ints{} + B::kLargest;
    field = field < least ? least : field;
    field = field > most ? most : field;
    return Pack<T>::of_bits(field << B::kFraction);
}
template <class T>
Pack<T> inverse_power(Pack<T> power) {
    using B = Bits<T>;
    return Pack<T>::of_bits(((B::kLargest + 1) << B::kFraction) - power.bits());
}
template <class T>
Pack<T> root_power(Pack<T> a, Pack<T> b) {
    using B = Bits<T>;
    auto difference = (a.bits() >> B::kFraction) - (b.bits() >> B::kFraction) + (B::kLargest + 3);
    return Pack<T>::of_bits(((difference >> 1) - 1) << B::kFraction);
}
template <class T>
Pack<T> exponent_of_normal(Pack<T> x) {
    using B = Bits<T>;
    Pack<T> whole(B::kWhole);
    auto field = absolute(x).bits() >> B::kFraction;
    return Pack<T>::of_bits(field | whole.bits()) - whole -
           Pack<T>(static_cast<T>((B::kLargest + 1) / 2));
}
template <class T>
Pack<T> power_of(Pack<T> e) {
    using B = Bits<T>;
    Pack<T> field = e + Pack<T>(static_cast<T>((B::kLargest + 1) / 2)) + Pack<T>(B::kWhole);
    return Pack<T>::of_bits(field.bits() << B::kFraction);
}

#endif

/// The exponent of any number but zero.
template <class Scalar, class Real>
TL_D Real exponent_of(Real x) {
    auto tiny = absolute(x) < Real(std::numeric_limits<Scalar>::min());
    const Real lift(static_cast<Scalar>(Bits<Scalar>::kFraction + 1));
    return exponent_of_normal(select(tiny, x * power_of(lift), x)) - select(tiny, lift, Real(0));
}
/// Multiplies x by 2^e for any whole e, without intermediate overflow or underflow.
template <class Scalar, class Real>
TL_D Real times_power(Real x, Real e) {
    const Real most(static_cast<Scalar>(Bits<Scalar>::kStep));
    for (int step = 0; step < 3; ++step) {
        Real part = select(e > most, most, select(e < -most, -most, e));
        x = x * power_of(part);
        e = e - part;
    }
    return x;
}

}  // namespace eigen

TL_DEVICE_END
