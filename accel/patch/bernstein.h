// Bicubic functions of (u, v) in the Bernstein basis: value, derivatives, and the same function
// restricted to a part of its domain (de Casteljau 1959). On the unit square a function lies
// between its least and greatest coefficient, and so does each derivative; pruning and proofs of
// uniqueness are based on these bounds.
#pragma once

#include "core/base/math.h"

TL_DEVICE_BEGIN

/// A bicubic function; coefficient 4 i + j belongs to B_i(u) B_j(v).
template <class Real>
struct Net {
    static constexpr int kSize = 16;
    Real at[kSize];
};

/// A part of the unit square.
template <class Real>
struct Cell {
    Real u0, u1, v0, v1;
};

template <class Real>
TL_HD inline Real least(Real a, Real b) {
    return a < b ? a : b;
}
template <class Real>
TL_HD inline Real greatest(Real a, Real b) {
    return a > b ? a : b;
}
template <class Real>
TL_HD inline Real magnitude(Real a) {
    return a < 0 ? -a : a;
}
template <class Real>
TL_HD inline Real clamped(Real a, Real lo, Real hi) {
    return least(greatest(a, lo), hi);
}

/// The four cubic Bernstein polynomials at t.
template <class Real>
struct CubicBasis {
    Real of[4];
    TL_HD explicit CubicBasis(Real t) {
        Real s = 1 - t;
        of[0] = s * s * s;
        of[1] = 3 * s * s * t;
        of[2] = 3 * s * t * t;
        of[3] = t * t * t;
    }
};

/// The derivatives of the four polynomials at t.
template <class Real>
struct CubicSlopes {
    Real of[4];
    TL_HD explicit CubicSlopes(Real t) {
        Real s = 1 - t;
        Real a = 3 * s * s, b = 6 * s * t, c = 3 * t * t;
        of[0] = -a;
        of[1] = a - b;
        of[2] = b - c;
        of[3] = c;
    }
};

/// A function's value with its first derivatives.
template <class Real>
struct Jet {
    Real value, du, dv;
};

template <class Real>
TL_HD inline Jet<Real> jet_at(const Net<Real>& net, Real u, Real v) {
    CubicBasis<Real> bu(u), bv(v);
    CubicSlopes<Real> su(u), sv(v);
    Jet<Real> jet{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const Real* row = net.at + 4 * i;
        Real along = bv.of[0] * row[0] + bv.of[1] * row[1] + bv.of[2] * row[2] + bv.of[3] * row[3];
        Real slope = sv.of[0] * row[0] + sv.of[1] * row[1] + sv.of[2] * row[2] + sv.of[3] * row[3];
        jet.value += bu.of[i] * along;
        jet.du += su.of[i] * along;
        jet.dv += bu.of[i] * slope;
    }
    return jet;
}

/// Replaces the coefficients of four cubics, `stride` apart, by those over [from, to].
template <class Real>
TL_HD inline void restrict_cubics(Real* at, int stride, int step, Real from, Real to) {
    // Splits at `to`; then splits the lower part at `from`.
    Real r = to > 0 ? from / to : 0;
    for (int k = 0; k < 4; ++k) {
        Real& p0 = at[k * step];
        Real& p1 = at[k * step + stride];
        Real& p2 = at[k * step + 2 * stride];
        Real& p3 = at[k * step + 3 * stride];
        Real p01 = p0 + to * (p1 - p0), p12 = p1 + to * (p2 - p1), p23 = p2 + to * (p3 - p2);
        Real p012 = p01 + to * (p12 - p01), p123 = p12 + to * (p23 - p12);
        Real end = p012 + to * (p123 - p012);
        Real q01 = p0 + r * (p01 - p0), q12 = p01 + r * (p012 - p01);
        Real q23 = p012 + r * (end - p012);
        Real q012 = q01 + r * (q12 - q01), q123 = q12 + r * (q23 - q12);
        p0 = q012 + r * (q123 - q012);
        p1 = q123;
        p2 = q23;
        p3 = end;
    }
}

/// The same function over a part of its domain, as a function of the unit square. Not inlined, like
/// most code that only hard rays need: on a GPU fetching long code costs more than running it.
template <class Real>
TL_HD TL_NO_INLINE Net<Real> restricted(const Net<Real>& net, const Cell<Real>& part) {
    Net<Real> result = net;
    if (part.u0 > 0 || part.u1 < 1) restrict_cubics(result.at, 4, 1, part.u0, part.u1);
    if (part.v0 > 0 || part.v1 < 1) restrict_cubics(result.at, 1, 4, part.v0, part.v1);
    return result;
}

template <class Real>
struct Range {
    Real lo, hi;
};

/// The range of all coefficients.
template <class Real>
TL_HD inline Range<Real> range_of(const Net<Real>& net) {
    Range<Real> r{net.at[0], net.at[0]};
    for (int k = 1; k < Net<Real>::kSize; ++k) {
        r.lo = least(r.lo, net.at[k]);
        r.hi = greatest(r.hi, net.at[k]);
    }
    return r;
}

/// The range of the coefficients of the derivative by u.
template <class Real>
TL_HD inline Range<Real> range_of_du(const Net<Real>& net) {
    Range<Real> r{net.at[4] - net.at[0], net.at[4] - net.at[0]};
    for (int k = 1; k < 12; ++k) {
        Real d = net.at[k + 4] - net.at[k];
        r.lo = least(r.lo, d);
        r.hi = greatest(r.hi, d);
    }
    return {3 * r.lo, 3 * r.hi};
}

/// The range of the coefficients of the derivative by v.
template <class Real>
TL_HD inline Range<Real> range_of_dv(const Net<Real>& net) {
    Range<Real> r{net.at[1] - net.at[0], net.at[1] - net.at[0]};
    for (int k = 1; k < 15; ++k) {
        if (k % 4 == 3) continue;
        Real d = net.at[k + 1] - net.at[k];
        r.lo = least(r.lo, d);
        r.hi = greatest(r.hi, d);
    }
    return {3 * r.lo, 3 * r.hi};
}

TL_DEVICE_END
