// Eigenvectors of a Hessenberg matrix by inverse iteration: H - lambda I is eliminated with row
// exchanges in O(n^2), and one solve from a start vector without structure is enough (Peters &
// Wilkinson 1979; LAPACK's hsein; Cvrcek 2016, algorithm 4). The same code serves real and complex
// eigenvalues.
#pragma once

#include "solvers/eigen/team.h"

TL_DEVICE_BEGIN

namespace eigen {

/// A complex number of lanes.
template <class Real>
struct Complex {
    Real re, im;

    Complex() = default;
    TL_D Complex(Real re) : re(re), im(Real(0)) {}
    TL_D Complex(Real re, Real im) : re(re), im(im) {}
    TL_D friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    TL_D friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    TL_D friend Complex operator*(Complex a, Complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
};
template <class Mask, class Real>
TL_D Complex<Real> select(Mask mask, Complex<Real> a, Complex<Real> b) {
    return {select(mask, a.re, b.re), select(mask, a.im, b.im)};
}
/// |re| + |im|.
template <class Real>
TL_D Real magnitude(Real x) {
    return absolute(x);
}
template <class Real>
TL_D Real magnitude(Complex<Real> x) {
    return absolute(x.re) + absolute(x.im);
}
template <class Real>
TL_D Real times(Real x, Real factor) {
    return x * factor;
}
template <class Real>
TL_D Complex<Real> times(Complex<Real> x, Real factor) {
    return {x.re * factor, x.im * factor};
}
template <class Scalar, class Real>
TL_D Complex<Real> times_power(Complex<Real> x, Real e) {
    return {times_power<Scalar>(x.re, e), times_power<Scalar>(x.im, e)};
}
template <class Real>
TL_D Real reciprocal(Real x) {
    return Real(1) / x;
}
template <class Real>
TL_D Complex<Real> reciprocal(Complex<Real> x) {
    // Divided by about its magnitude, against overflow and underflow.
    Real to_one = inverse_power(power_below(magnitude(x)));
    Real re = x.re * to_one, im = x.im * to_one;
    Real inverse = Real(1) / (re * re + im * im);
    return {re * inverse * to_one, -(im * inverse * to_one)};
}

/// An array of real or complex numbers; complex ones are in two arrays.
template <class Real, class A>
struct RealPlane {
    using Number = Real;
    A re;
    TL_D Number get(int i) const { return re[i]; }
    TL_D void set(int i, Number x) const { re[i] = x; }
    template <class Team>
    TL_D void put(const Team& team, typename Team::Index i, Number x,
                  typename Team::Mask mask) const {
        team.put(re, i, x, mask);
    }
};
template <class Real, class A>
struct ComplexPlane {
    using Number = Complex<Real>;
    A re, im;
    TL_D Number get(int i) const { return {re[i], im[i]}; }
    TL_D void set(int i, Number x) const {
        re[i] = x.re;
        im[i] = x.im;
    }
    template <class Team>
    TL_D void put(const Team& team, typename Team::Index i, Number x,
                  typename Team::Mask mask) const {
        team.put(re, i, x.re, mask);
        team.put(im, i, x.im, mask);
    }
};

/// Computes the eigenvector of `lambda` into `y`, not normalised, for lanes that `want` it. `h` is
/// the Hessenberg matrix with anything below its subdiagonal, `norm` about its size; the eigenvalue
/// belongs to the block that ends before row `end`. Lanes that `refine` get a second step, unless
/// the matrix is so defective that it would lead away from the eigenvector. Refinement is needed
/// where balanced components differ in size, since errors then should as well. `w` (n x n), `x` and
/// `z` (n) are overwritten.
template <class Team, class A, class Plane>
TL_D void inverse_iteration(const Team& team, int n, const A& h, typename Team::Real norm,
                            typename Plane::Number lambda, typename Team::Index position,
                            typename Team::Index end, typename Team::Mask want,
                            typename Team::Mask refine, const Plane& w, const Plane& x,
                            const Plane& y, const Plane& z) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    using Number = typename Plane::Number;
    using Scalar = typename Team::Scalar;
    const Real small =
        Real(std::numeric_limits<Scalar>::epsilon()) * select(norm > Real(0), norm, Real(1));
    // Eliminate; the diagonal holds the pivots' reciprocals.
    for (int j = team.rank(); j < n; j += team.size()) {
        Number first = Number(Real(h[j]));
        w.set(j, j == 0 ? first - lambda : first);
    }
    team.sync();
    for (int k = 0; k < n; ++k) {
        Real below = Real(0);
        if (k + 1 < n) below = h[(k + 1) * n + k];
        Number pivot = w.get(k * n + k);
        auto exchange = magnitude(pivot) < absolute(below);
        Number kept = select(exchange, Number(below), pivot);
        kept = select(magnitude(kept) < small, Number(small), kept);
        Number inverse = reciprocal(kept);
        Number factor = select(exchange, pivot, Number(below)) * inverse;
        for (int j = k + 1 + team.rank(); k + 1 < n && j < n; j += team.size()) {
            Number upper = w.get(k * n + j), lower = Number(Real(h[(k + 1) * n + j]));
            if (j == k + 1) lower = lower - lambda;
            Number top = select(exchange, lower, upper);
            w.set(k * n + j, top);
            w.set((k + 1) * n + j, select(exchange, upper, lower) - factor * top);
        }
        team.sync();
        if (team.rank() == 0) w.set(k * n + k, inverse);
    }
    // Solves by back substitution. Values that grow too large are scaled down, by powers of two
    // whose product is `shrink`.
    const Real limit(static_cast<Scalar>(sizeof(Scalar) == 8 ? 0x1p400 : 0x1p60));
    // Solves `x` into `to`, for lanes that `need` it. Returns the growth of x, times `small`.
    auto solve = [&](const Plane& to, typename Team::Mask need) {
        Real shrink(1), sum(0);
        for (int i = n - 1; i >= 0; --i) {
            Number value = x.get(i) * w.get(i * n + i);
            auto large = need & (magnitude(value) > limit);
            if (team.any(large)) {
                Real factor = inverse_power(power_below(select(large, magnitude(value), Real(1))));
                shrink = shrink * factor;
                value = value * Number(factor);
                team.sync();
                for (int j = team.rank(); j < n; j += team.size()) {
                    if (j < i) x.set(j, x.get(j) * Number(factor));
                    if (j > i) to.set(j, select(need, to.get(j) * Number(factor), to.get(j)));
                }
                sum = sum * factor;
                team.sync();
            }
            sum += magnitude(value);
            if (i % team.size() == team.rank()) to.set(i, select(need, value, to.get(i)));
            for (int j = team.rank(); j < i; j += team.size())
                x.set(j, x.get(j) - w.get(j * n + i) * value);
            team.sync();
        }
        return sum * small / shrink;
    };
    const Real enough(0.5f);
    auto need = want;
    constexpr int kMostStarts = 4;
    Real best(-1);
    Index best_start(0);
    for (int pass = 0; pass <= kMostStarts; ++pass) {
        // If no start vector was good enough, the last pass repeats the best one.
        Index start = pass < kMostStarts ? Index(pass) : best_start;
        for (int i = team.rank(); i < n; i += team.size()) {
            Real t = Real(i + 1) * Real(0.61803398875f) +
                     Real(position + Index(7) * start + Index(1)) * Real(0.7548776662f);
            t = Real(0.5f) + t - rounded_down(t);
            auto inside = Index(i) < end;
            x.set(i, Number(select(inside, t, Real(0))));
        }
        team.sync();
        Real growth = solve(y, need);
        auto better = need & (growth > best);
        best = select(better, growth, best);
        best_start = select(better, Index(pass), best_start);
        need = need & !(growth >= enough);
        if (pass == kMostStarts - 1) need = need & !(best_start == Index(pass));
        if (!team.any(need)) break;
    }
    refine = refine & want;
    if (!team.any(refine)) return;
    Real largest(0);
    for (int i = 0; i < n; ++i) {
        Real size = magnitude(y.get(i));
        largest = select(size > largest, size, largest);
    }
    Real inverse = inverse_power(power_below(largest));
    for (int i = team.rank(); i < n; i += team.size()) x.set(i, y.get(i) * Number(inverse));
    team.sync();
    refine = refine & (solve(z, refine) >= enough);
    for (int i = team.rank(); i < n; i += team.size()) y.set(i, select(refine, z.get(i), y.get(i)));
    team.sync();
}

}  // namespace eigen

TL_DEVICE_END
