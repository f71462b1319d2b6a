// Proofs about the common roots of two bicubic functions on the unit square: that there is none, or
// at most one, which Newton's method then finds; or neither. After Toth 1985 ("On ray tracing
// parametric surfaces"): the functions are transformed so that their mean Jacobian is the identity.
// If no matrix of derivatives within their bounds is singular, there is no second root, since the
// mean Jacobian between two roots would be singular. By the same bounds a border at which a
// function leads outward excludes the first root, too. A function's deviation from its coordinate
// bounds its zeros. All bounds come from Bernstein coefficients.
#pragma once

#include "accel/patch/bernstein.h"

TL_DEVICE_BEGIN

enum class CellProof {
    empty,    ///< no root
    unique,   ///< one root, or none except just outside of the cell
    blurred,  ///< undecided because of the error of the coefficients
    open      ///< undecided; the cell must be cut in two
};

/// Error of the coefficients, in units of the cell, up to which a proof is valid.
template <class Real>
inline constexpr Real kSharp = Real(0.01);
/// Error from which cutting the cell further would prove nothing.
template <class Real>
inline constexpr Real kBlurred = Real(0.02);

template <class Real>
TL_HD inline bool excludes_zero(const Range<Real>& r, Real noise) {
    return r.lo > noise || r.hi < -noise;
}

/// The largest difference between `value` and any number in a range.
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
        // Mean derivatives, from the corners.
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
};

/// Bounds of the deviation of the derivatives of f and g from 1 and 0. They decide whether a cell
/// has at most one root, and when a nonzero value on the border excludes roots.
template <class Real>
struct RootBounds {
    /// Limit for non-singular matrices; the rest is a margin for points just outside of the cell.
    static constexpr Real kMost = Real(0.95);
    bool unique;
    Real f_by_g, g_by_f;  ///< most that a unit of g can offset in f, and vice versa

    TL_HD RootBounds(Real f_u, Real f_v, Real g_u, Real g_v)
        : unique(f_u < kMost && g_v < kMost && f_v * g_u < kMost * (1 - f_u) * (1 - g_v)),
          f_by_g(f_v / (1 - g_v)),
          g_by_f(g_u / (1 - f_u)) {}
    TL_HD explicit RootBounds(const Preconditioned<Real>& p)
        : RootBounds(deviation(range_of_du(p.f), Real(1)), deviation(range_of_dv(p.f), Real(0)),
                     deviation(range_of_du(p.g), Real(0)), deviation(range_of_dv(p.g), Real(1))) {}
};

/// Newton's method from (x, y), clamped to the cell and a small margin, moving along its border
/// where a function leads out. `unique` with the root, `empty` if there is none, `blurred` if it
/// does not converge. Adds its steps.
template <class Real>
TL_HD inline CellProof find_root(const Net<Real>& a, const Net<Real>& b,
                                 const RootBounds<Real>& bounds, Real noise, Real& x, Real& y,
                                 std::uint32_t& n_steps) {
    constexpr int kSteps = 10;
    // In float accurate enough to start the polish in double; in double nearly all digits.
    constexpr Real kSmallStep = sizeof(Real) == 4 ? Real(2e-4) : Real(1e-8);
    constexpr Real kLow = Real(-1e-3), kHigh = 1 - kLow;
    auto leads_out = [](Real at, Real f) { return at <= kLow ? f > 0 : at >= kHigh && f < 0; };
    x = clamped(x, kLow, kHigh);
    y = clamped(y, kLow, kHigh);
#if defined(__CUDACC__)
#pragma unroll 1
#endif
    for (int step = 0; step < kSteps; ++step) {
        ++n_steps;
        Jet<Real> f = jet_at(a, x, y), g = jet_at(b, x, y);
        bool out_x = leads_out(x, f.value), out_y = leads_out(y, g.value);
        Real far_f = magnitude(f.value), far_g = magnitude(g.value);
        // The bounds exclude the derivatives that a root of these values would require.
        bool no_f = out_x && far_f > (out_y ? 0 : bounds.f_by_g * far_g) + noise;
        bool no_g = out_y && far_g > (out_x ? 0 : bounds.g_by_f * far_f) + noise;
        if (out_x && out_y ? no_f && no_g : no_f || no_g) return CellProof::empty;
        Real inverse = 1 / (f.du * g.dv - f.dv * g.du);
        Real dx = inverse * (g.value * f.dv - f.value * g.dv);
        Real dy = inverse * (f.value * g.du - g.value * f.du);
        if (greatest(magnitude(dx), magnitude(dy)) < kSmallStep) {
            x += dx;
            y += dy;
            return CellProof::unique;
        }
        if (out_x) {
            dx = 0;
            dy = out_y ? 0 : -g.value / g.dv;
        } else if (out_y) {
            dx = -f.value / f.du;
            dy = 0;
        }
        x = clamped(x + dx, kLow, kHigh);
        y = clamped(y + dy, kLow, kHigh);
    }
    return CellProof::blurred;
}

/// Interval of the whole line in which a function that is nearly x, or else y, can be zero.
template <bool kOfX, class Real>
TL_HD inline Range<Real> zeros_of(const Net<Real>& f, Real noise) {
    Range<Real> rest{f.at[0], f.at[0]};
    for (int k = 1; k < Net<Real>::kSize; ++k) {
        Real difference = f.at[k] - Real(kOfX ? k / 4 : k % 4) / 3;
        rest.lo = least(rest.lo, difference);
        rest.hi = greatest(rest.hi, difference);
    }
    return {-rest.hi - noise, -rest.lo + noise};
}

/// The part of the cell that can hold roots; u0 > u1 or v0 > v1 where there is none.
template <class Real>
TL_HD inline Cell<Real> clipped_cell(const Preconditioned<Real>& p) {
    constexpr Real kWider = sizeof(Real) == 4 ? Real(1e-5) : Real(1e-10);  // for rounding
    Range<Real> x = zeros_of<true>(p.f, p.noise_f + kWider);
    Range<Real> y = zeros_of<false>(p.g, p.noise_g + kWider);
    return {greatest(x.lo, Real(0)), least(x.hi, Real(1)), greatest(y.lo, Real(0)),
            least(y.hi, Real(1))};
}

/// Decides a cell. `noise` bounds the error of the coefficients. A unique cell has its root at (x,
/// y); the roots of an open one are within `part`. If the cell `holds_start`, its only root would
/// be the ray's start, so it is empty once it is unique. Adds the steps of Newton's method.
template <class Real>
TL_HD TL_NO_INLINE CellProof examine_cell(const Net<Real>& a, const Net<Real>& b, Real noise,
                                          bool holds_start, Real& x, Real& y, Cell<Real>& part,
                                          std::uint32_t& n_steps) {
    part = {0, 1, 0, 1};
    if (excludes_zero(range_of(a), noise) || excludes_zero(range_of(b), noise))
        return CellProof::empty;
    Preconditioned<Real> p(a, b, noise);
    if (!p.exists) return CellProof::open;
    if (excludes_zero(range_of(p.f), p.noise_f) || excludes_zero(range_of(p.g), p.noise_g))
        return CellProof::empty;
    part = clipped_cell(p);
    if (part.u0 > part.u1 || part.v0 > part.v1) return CellProof::empty;
    RootBounds<Real> bounds(p);
    Real blur = greatest(p.noise_f, p.noise_g);
    if (!bounds.unique) return blur > kBlurred<Real> ? CellProof::blurred : CellProof::open;
    if (blur > kSharp<Real>) return CellProof::blurred;
    if (holds_start) return CellProof::empty;
    x = (part.u0 + part.u1) / 2;
    y = (part.v0 + part.v1) / 2;
    CellProof proof = find_root(p.f, p.g, bounds, blur, x, y, n_steps);
    // Newton's method failed, but may converge in a smaller cell.
    return proof == CellProof::blurred ? CellProof::open : proof;
}

TL_DEVICE_END
