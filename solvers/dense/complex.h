// Complex numbers for host and device, in the layout of std::complex, BLAS and NumPy.
#pragma once

#include <type_traits>

#include "core/base/macros.h"

namespace tl {

template <class T>
struct Complex {
    T re, im;

    /// Leaves the parts uninitialised: variables in CUDA's shared memory need trivial constructors.
    Complex() = default;
    TL_HD constexpr Complex(T re, T im = 0) : re(re), im(im) {}

    TL_HD Complex& operator+=(Complex b) { return *this = *this + b; }
    TL_HD Complex& operator-=(Complex b) { return *this = *this - b; }
    TL_HD Complex& operator*=(Complex b) { return *this = *this * b; }

    TL_HD friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
    TL_HD friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    TL_HD friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    TL_HD friend Complex operator*(Complex a, Complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    TL_HD friend Complex operator*(Complex a, T b) { return {a.re * b, a.im * b}; }
    /// Smith 1962: without |b|^2, which would overflow. Parts of b may be up to half of the largest
    /// number. NaN for b = 0.
    TL_HD friend Complex operator/(Complex a, Complex b) {
        T re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
        if (re >= im) {
            T ratio = b.im / b.re, scale = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
        }
        T ratio = b.re / b.im, scale = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
    }
    TL_HD friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <class T>
[[nodiscard]] TL_HD Complex<T> conjugate(Complex<T> a) {
    return {a.re, -a.im};
}

/// Real numbers, so that templates take both kinds.
[[nodiscard]] TL_HD inline float conjugate(float a) {
    return a;
}
[[nodiscard]] TL_HD inline double conjugate(double a) {
    return a;
}

template <class T>
struct RealOfNumber {
    using Type = T;
};
template <class T>
struct RealOfNumber<Complex<T>> {
    using Type = T;
};
/// The type of a number's parts: RealOf<T> and RealOf<Complex<T>> are T.
template <class T>
using RealOf = typename RealOfNumber<T>::Type;
/// Whether T is a Complex type.
template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<RealOf<T>, T>;

/// The real part.
template <class T>
[[nodiscard]] TL_HD RealOf<T> real_part(T a) {
    if constexpr (kIsComplex<T>)
        return a.re;
    else
        return a;
}
/// re^2 + im^2.
template <class T>
[[nodiscard]] TL_HD RealOf<T> squared_magnitude(T a) {
    if constexpr (kIsComplex<T>)
        return a.re * a.re + a.im * a.im;
    else
        return a * a;
}

/// |re| + |im|, LAPACK's cabs1: from the absolute value to sqrt(2) times that.
template <class T>
[[nodiscard]] TL_HD T abs1(Complex<T> a) {
    return (a.re < 0 ? -a.re : a.re) + (a.im < 0 ? -a.im : a.im);
}

}  // namespace tl
