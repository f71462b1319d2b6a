// What can be proved of two bicubic functions on the unit square: that they have no common root,
// that they have one at most and where Newton's method finds it, or neither. After Toth 1985 ("On
// ray tracing parametric surfaces"): the functions are taken in coordinates in which their mean
// Jacobian is the identity; where the interval Jacobian stays near that, there is no second root
// and the iteration contracts. Intervals come from Bernstein coefficients.
#pragma once

#include "accel/patch/bernstein.h"

TL_DEVICE_BEGIN

enum class CellProof {
    empty,    ///< no root
    unique,   ///< one root, or none just outside of the cell
    blurred,  ///< would be one of these, were the numbers known more exactly
    open      ///< to be cut in two
};

/// The largest row sum of |Jacobian - 1| on a cell that counts as proof: Newton's method then comes
/// nearer to the root by a factor 2 q / (1 - q) at least in its first step.
template <class Real>
inline constexpr Real kContraction = Real(0.3);

/// Error of coefficients, in units of the cell, up to which a proof holds.
template <class Real>
inline constexpr Real kSharp = Real(0.01);
/// And from which cutting the cell further would prove nothing.
template <class Real>
inline constexpr Real kBlurred = Real(0.02);

template <class Real>
TL_HD inline bool excludes_zero(const Range<Real>& r, Real noise) {
    return r.lo > noise || r.hi < -noise;
}

/// By how much a range differs from `value` at most.
template <class Real>
TL_HD inline Real deviation(const Range<Real>& r, Real value) {
    return greatest(r.hi - value, value - r.lo);
}

/// f and g in coordinates in which their mean Jacobian is the identity.
template <class Real>
struct Preconditioned {
    Net<Real> f, g;
    Real noise_f, noise_g;
    bool exists;

    TL_HD Preconditioned(const Net<Real>& a, const Net<Real>& b, Real noise) {
        // Mean derivatives, by the corners.
        Real au = (a.at[12] - a.at[0] + a.at[15] - a.at[3]) / 2;
        Real av = (a.at[3] - a.at[0] + a.at[15] - a.at[12]) / 2;
        Real bu = (b.at[12] - b.at[0] + b.at[15] - b.at[3]) / 2;
        Real bv = (b.at[3] - b.at[0] + b.at[15] - b.at[12]) / 2;
        Real determinant = au * bv - av * bu;
        Real sizes = (magnitude(au) + magnitude(av)) * (magnitude(bu) + magnitude(bv));
        exists = magnitude(determinant) > Real(1e-6) * sizes;
        if (!exists) return;
        Real inverse = 1 / determinant;
        au *= inverse, av *= inverse, bu *= inverse, bv *= inverse;
        noise_f = noise * (magnitude(bv) + magnitude(av));
        noise_g = noise * (magnitude(bu) + magnitude(au));
        for (int k = 0; k < Net<Real>::kSize; ++k) {
            f.at[k] = bv * a.at[k] - av * b.at[k];
            g.at[k] = au * b.at[k] - bu * a.at[k];
        }
    }
    /// How far the Jacobian is from the identity anywhere on the cell.
    [[nodiscard]] TL_HD Real variation() const {
        Real of_f = deviation(range_of_du(f), Real(1)) + deviation(range_of_dv(f), Real(0));
        Real of_g = deviation(range_of_du(g), Real(0)) + deviation(range_of_dv(g), Real(1));
        return greatest(of_f, of_g);
    }
};

/// Newton's method kept to a little more than the cell, where q is the variation. False where it
/// does not end at a root, of which there is none in the cell then. Steps go to
/// counter.count_steps.
template <class Real, class Counter>
TL_HD inline bool find_root(const Preconditioned<Real>& p, Real q, Real& x, Real& y,
                            Counter& counter) {
    constexpr int kSteps = 10;
    // What the polish in double precision starts from; in double, nearly all digits.
    constexpr Real kSmallStep = sizeof(Real) == 4 ? Real(1e-3) : Real(1e-8);
    constexpr Real kBeside = Real(0.02);
    Real noise = greatest(p.noise_f, p.noise_g);
    x = y = Real(0.5);
    for (int step = 0; step < kSteps; ++step) {
        counter.count_steps(1);
        Jet<Real> f = jet_at(p.f, x, y), g = jet_at(p.g, x, y);
        Real inverse = 1 / (f.du * g.dv - f.dv * g.du);
        Real dx = inverse * (f.value * g.dv - g.value * f.dv);
        Real dy = inverse * (g.value * f.du - f.value * g.du);
        if (step == 0) {
            // No root of the cell is farther from here than the contraction of half its size.
            Real reach = Real(0.5) + q / (1 - q) + 2 * noise;
            if (magnitude(dx) > reach || magnitude(dy) > reach) return false;
        }
        Real nx = clamped(x - dx, -kBeside, 1 + kBeside);
        Real ny = clamped(y - dy, -kBeside, 1 + kBeside);
        Real moved = greatest(magnitude(nx - x), magnitude(ny - y));
        Real wanted = greatest(magnitude(dx), magnitude(dy));
        x = nx;
        y = ny;
        // At the border and held there: no root within.
        if (moved < kSmallStep) return wanted < 2 * kSmallStep + 2 * noise;
    }
    // Nearly there: the polish decides.
    return true;
}

/// `noise` bounds the error of the coefficients. Of a unique cell (x, y) is the root.
template <class Real, class Counter>
TL_HD inline CellProof examine_cell(const Net<Real>& a, const Net<Real>& b, Real noise, Real& x,
                                    Real& y, Counter& counter) {
    if (excludes_zero(range_of(a), noise) || excludes_zero(range_of(b), noise))
        return CellProof::empty;
    Preconditioned<Real> p(a, b, noise);
    if (!p.exists) return CellProof::open;
    if (excludes_zero(range_of(p.f), p.noise_f) || excludes_zero(range_of(p.g), p.noise_g))
        return CellProof::empty;
    Real q = p.variation();
    Real blur = greatest(p.noise_f, p.noise_g);
    if (!(q < kContraction<Real>))
        return blur > kBlurred<Real> ? CellProof::blurred : CellProof::open;
    if (blur > kSharp<Real>) return CellProof::blurred;
    return find_root(p, q, x, y, counter) ? CellProof::unique : CellProof::empty;
}

TL_DEVICE_END
