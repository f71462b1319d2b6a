// All complex roots of a real polynomial, one by one: Laguerre's method and deflation (Press et
// al., Numerical Recipes, section 9.5), from the start value of Lahabar 2010, (1 + j) / sqrt 2. A
// complex root is removed together with its conjugate, so that coefficients stay real. A deflated
// polynomial stays at the end of its array, behind leading zeros, so that no index depends on the
// degree and the coefficients stay in registers.
#pragma once

#include "accel/patch/resultant.h"

TL_DEVICE_BEGIN

struct ComplexNumber {
    double re, im;
};
TL_HD inline ComplexNumber operator+(ComplexNumber a, ComplexNumber b) {
    return {a.re + b.re, a.im + b.im};
}
TL_HD inline ComplexNumber operator-(ComplexNumber a, ComplexNumber b) {
    return {a.re - b.re, a.im - b.im};
}
TL_HD inline ComplexNumber operator*(ComplexNumber a, ComplexNumber b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
TL_HD inline ComplexNumber operator*(double s, ComplexNumber a) {
    return {s * a.re, s * a.im};
}
TL_HD inline double square_of(ComplexNumber a) {
    return a.re * a.re + a.im * a.im;
}
TL_HD inline ComplexNumber operator/(ComplexNumber a, ComplexNumber b) {
    double inverse = 1 / square_of(b);
    return {inverse * (a.re * b.re + a.im * b.im), inverse * (a.im * b.re - a.re * b.im)};
}
TL_HD inline ComplexNumber root_of(ComplexNumber a) {
    double size = sqrt(square_of(a));
    double re = sqrt((size + magnitude(a.re)) / 2);
    if (re == 0) return {0, 0};
    double im = a.im / (2 * re);
    return a.re >= 0 ? ComplexNumber{re, im} : ComplexNumber{magnitude(im), copysign(re, a.im)};
}

/// One step from `x` towards a root of a polynomial of this degree; true once x is a root.
TL_HD inline bool step_to_root(const Resultant& p, int degree, int iteration, ComplexNumber& x) {
    constexpr int kCycle = 10;
    constexpr double kRounding = 0x1p-53;
    double n = degree;
    // The value, its derivative, half the second derivative, and the value's rounding error.
    ComplexNumber value{0, 0}, slope{0, 0}, bend{0, 0};
    double error = 0, reach = sqrt(square_of(x));
    // Leading zeros change nothing: whole groups of them are skipped.
    constexpr int kGroup = 3;
    TL_UNROLL for (int first = 0; first <= kResultantDegree; first += kGroup) {
        if (degree <= kResultantDegree - first - kGroup) continue;
        TL_UNROLL for (int k = first; k < first + kGroup; ++k) {
            if (k > kResultantDegree) continue;
            bend = x * bend + slope;
            slope = x * slope + value;
            value = x * value;
            value.re += p.at[k];
            error = magnitude(value.re) + magnitude(value.im) + reach * error;
        }
    }
    error *= kRounding;
    if (square_of(value) <= error * error) return true;
    ComplexNumber g = slope / value;
    ComplexNumber g2 = g * g;
    ComplexNumber h = g2 - 2 * (bend / value);
    ComplexNumber root = root_of((n - 1) * (n * h - g2));
    ComplexNumber plus = g + root, minus = g - root;
    ComplexNumber divisor = square_of(plus) >= square_of(minus) ? plus : minus;
    ComplexNumber step =
        square_of(divisor) > 0 ? ComplexNumber{n, 0} / divisor : ComplexNumber{1 + reach, 1};
    ComplexNumber next = x - step;
    if (next.re == x.re && next.im == x.im) return true;
    // A shorter step now and then breaks a cycle.
    x = iteration % kCycle ? next : x - 0.37 * step;
    return false;
}

/// Divides the polynomial by x - root, or by (x - root) (x - conjugate).
TL_HD inline void deflate(Resultant& p, ComplexNumber root, bool real) {
    double sum = real ? root.re : 2 * root.re, product = real ? 0 : square_of(root);
    double last = 0, before = 0;  // previous coefficients of the quotient
    // Degree n - 1 moves the quotient's coefficients by one index, degree n - 2 by two.
    TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) {
        double q = p.at[k] + sum * last - product * before;
        p.at[k] = real ? last : before;
        before = last;
        last = q;
    }
}

/// Calls found(x, real) for every root of p in the order in which they are found, for one of two
/// complex conjugates. Roots at most 1e-7 off the real axis are real. Returns the total number of
/// iterations.
template <class Found>
TL_HD inline int find_roots_laguerre(Resultant p, Found&& found) {
    constexpr double kNothing = 1e-15;  // relative to the largest coefficient: a root at infinity
    constexpr double kReal = 1e-7;
    double largest = 0;
    TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) largest =
        greatest(largest, magnitude(p.at[k]));
    if (!(largest > 0) || largest - largest != 0) return 0;
    int degree = kResultantDegree;
    bool leading = true;
    double inverse = 1 / largest;
    TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) {
        p.at[k] *= inverse;
        leading = leading && magnitude(p.at[k]) <= kNothing && k < kResultantDegree;
        if (leading) {
            p.at[k] = 0;
            --degree;
        }
    }
    // A single loop for the iterations of all roots, so that the lanes of a warp do not wait for
    // each other after each root.
    constexpr int kMostIterations = 60;  // per root
    constexpr double kStart = 0.70710678118654752;
    ComplexNumber x{kStart, kStart};
    int n_iterations = 0, iteration = 0;
    while (degree > 0) {
        ++n_iterations;
        ++iteration;
        if (!step_to_root(p, degree, iteration, x) && iteration < kMostIterations) continue;
        bool real = degree == 1 || magnitude(x.im) <= kReal * greatest(1.0, magnitude(x.re));
        found(x, real);
        deflate(p, x, real);
        degree -= real ? 1 : 2;
        x = {kStart, kStart};
        iteration = 0;
    }
    return n_iterations;
}

/// Calls found(x) with every real root of p. Returns the total number of iterations.
template <class Found>
TL_HD inline int find_real_roots_laguerre(const Resultant& p, Found&& found) {
    return find_roots_laguerre(p, [&](ComplexNumber x, bool real) {
        if (real) found(x.re);
    });
}

TL_DEVICE_END
