// What can be proved of two bicubic functions on the unit square: that they have no common root,
// that they have one at most and where Newton's method finds it, or neither. After Toth 1985 ("On
// ray tracing parametric surfaces"): the functions are taken in coordinates in which their mean
// Jacobian is the identity; where no matrix of derivatives within their bounds is singular there is
// no second root, since the mean of the Jacobian between the two would be such a matrix. By the
// same bounds a border at which a function leads outward rules out the first one. How far a
// function is from being its coordinate bounds where it is zero. Bounds come from Bernstein
// coefficients.
#pragma once

#include "accel/patch/bernstein.h"

TL_DEVICE_BEGIN

enum class CellProof {
    empty,    ///< no root
    unique,   ///< one root, or none just outside of the cell
    blurred,  ///< would be one of these, were the numbers known more exactly
    open      ///< to be cut in two
};

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
};

/// By how much the derivatives of f and g differ from 1 and 0 at most tells whether a cell has one
/// root at most, and what follows from where a function leads.
template <class Real>
struct RootBounds {
    /// Of what makes a matrix singular. The rest is for places just beside the cell, too.
    static constexpr Real kMost = Real(0.95);
    bool unique;
    Real f_by_g, g_by_f;  ///< the most of one function that the other's value can make up for

    TL_HD RootBounds(Real f_u, Real f_v, Real g_u, Real g_v)
        : unique(f_u < kMost && g_v < kMost && f_v * g_u < kMost * (1 - f_u) * (1 - g_v)),
          f_by_g(f_v / (1 - g_v)),
          g_by_f(g_u / (1 - f_u)) {}
    TL_HD explicit RootBounds(const Preconditioned<Real>& p)
        : RootBounds(deviation(range_of_du(p.f), Real(1)), deviation(range_of_dv(p.f), Real(0)),
                     deviation(range_of_du(p.g), Real(0)), deviation(range_of_dv(p.g), Real(1))) {}
};

/// Newton's method from (x, y), within the cell and a little beside it, and along its border where
/// a function leads out. `unique` with the root, `empty` if there is none; `blurred` where it does
/// not end. Adds its steps.
template <class Real>
TL_HD inline CellProof find_root(const Net<Real>& a, const Net<Real>& b,
                                 const RootBounds<Real>& bounds, Real noise, Real& x, Real& y,
                                 std::uint32_t& n_steps) {
    constexpr int kSteps = 10;
    // What the polish in double precision starts from; in double, nearly all digits.
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
        // A root would need derivatives, between here and there, that the bounds rule out.
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

/// Where a function that is nearly x, or else y, can be zero: of the whole line.
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

/// `noise` bounds the error of the coefficients. Of a unique cell (x, y) is the root; of an open
/// one `part` is what can hold roots. A cell whose root would be no news, as it `holds_start`, is
/// empty as soon as it is unique. Adds the steps of Newton's method.
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
    // A smaller cell may do where Newton's method goes astray.
    return proof == CellProof::blurred ? CellProof::open : proof;
}

TL_DEVICE_END
