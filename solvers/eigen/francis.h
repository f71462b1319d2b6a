// Eigenvalues of a Hessenberg matrix by the double implicit shift (Francis 1961; Golub & Van Loan,
// algorithm 7.5.1), on the active window alone, with the exceptional shifts of LAPACK's lahqr. The
// thesis leaves pairs of real eigenvalues in 2x2 blocks (Cvrcek 2016, 6.6.2); here these are
// solved.
#pragma once

#include "solvers/eigen/team.h"

TL_DEVICE_BEGIN

namespace eigen {

/// The eigenvalues of [a b; c d]: (re0, im), (re1, -im).
template <class Real>
struct BlockValues {
    Real re0, re1, im;

    TL_D BlockValues(Real a, Real b, Real c, Real d) {
        Real zero(0), half = (a - d) * Real(0.5f);
        // All divided by about the largest, against overflow and underflow.
        Real power = power_below(absolute(half) + absolute(b) + absolute(c));
        Real to_one = inverse_power(power);
        half = half * to_one;
        Real bc = (b * to_one) * (c * to_one);
        Real discriminant = half * half + bc;
        auto real = discriminant >= zero;
        Real root = square_root(absolute(discriminant));
        // The farther one by a sum, the nearer one by the product of both, without cancellation.
        Real far = with_sign(absolute(half) + root, half);
        auto nonzero = absolute(far) > zero;
        Real nearer = select(nonzero, bc / select(nonzero, far, Real(1)), zero);
        re0 = d + select(real, far, half) * power;
        re1 = select(real, d - nearer * power, re0);
        im = select(real, zero, root * power);
    }
};

/// The iteration of one matrix, or of several in step. step() either deflates converged eigenvalues
/// or does one QR sweep.
template <class Team, class A>
struct Francis {
    using Real = typename Team::Real;
    using Mask = typename Team::Mask;
    using Index = typename Team::Index;

    Mask active;   ///< iterates
    Mask failed;   ///< reached the limit of sweeps
    Index last;    ///< last row of the window
    Index since;   ///< sweeps since the last deflation, modulo 20
    Index sweeps;  ///< in all
    /// Compared with elements whose neighbours on the diagonal are zero.
    Real instead;

    TL_D void begin(int n, Mask wanted, Real instead_of_zero) {
        active = wanted;
        instead = instead_of_zero;
        failed = Index(1) < Index(0);
        last = Index(n - 1);
        since = sweeps = Index(0);
    }

    /// `h` is overwritten; `re` and `im` receive n eigenvalues, pairs with im > 0 first.
    TL_D void step(const Team& team, int n, const A& h, const A& re, const A& im, int limit) {
        Index first = find_window(team, n, h);
        if (team.any(active & (first > Index(0)))) {
            team.sync();
            Index at = select(first > Index(0), first, Index(1));
            if (team.rank() == 0)
                team.put(h, at * Index(n) + at - Index(1), Real(0), active & (first > Index(0)));
            team.sync();  // the next search for a window reads it
        }
        Mask one = active & (first == last);
        Mask two = active & (first + Index(1) == last);
        if (team.any(one | two)) return split_off(team, n, h, re, im, one, two);
        Mask over = active & (sweeps >= Index(limit));
        failed = failed | over;
        active = active & !over;
        sweep(team, n, h, first);
        since = select(active, since + Index(1), since);
        since = select(since >= Index(20), Index(0), since);
        sweeps = select(active, sweeps + Index(1), sweeps);
    }

  private:
    /// The first row of the window that ends at `last`.
    TL_D Index find_window(const Team& team, int n, const A& h) const {
        const Real epsilon(std::numeric_limits<typename Team::Scalar>::epsilon());
        Index first(0);
        Mask found = !active;
        Real below_right = Real(0);
        int k = team.most(select(active, last, Index(0)));
        below_right = absolute(Real(h[k * n + k]));
        for (; k > 0; --k) {
            Real above_left = absolute(Real(h[(k - 1) * n + k - 1]));
            Real beside = above_left + below_right;
            beside = select(beside > Real(0), beside, instead);
            below_right = above_left;
            Mask small = (absolute(Real(h[k * n + k - 1])) <= epsilon * beside) &
                         (Index(k) <= last) & !found;
            first = select(small, Index(k), first);
            found = found | small;
            if (all_of(found)) break;
        }
        return first;
    }

    TL_D void split_off(const Team& team, int n, const A& h, const A& re, const A& im, Mask one,
                        Mask two) {
        Index zero(0);
        Index i1 = select(one | two, last, zero), i0 = select(two, last - Index(1), i1);
        Real a = team.at(h, i0 * Index(n) + i0), b = team.at(h, i0 * Index(n) + i1);
        Real c = team.at(h, i1 * Index(n) + i0), d = team.at(h, i1 * Index(n) + i1);
        BlockValues<Real> pair(a, b, c, d);
        if (team.rank() == 0) {
            team.put(re, i1, select(one, d, pair.re1), one | two);
            team.put(im, i1, select(one | (pair.im == Real(0)), Real(0), -pair.im), one | two);
            team.put(re, i0, pair.re0, two);
            team.put(im, i0, pair.im, two);
        }
        last = last - select(one, Index(1), select(two, Index(2), zero));
        since = select(one | two, zero, since);
        active = active & (last >= zero);
    }

    /// The first column of H^2 - s H + t I, for s the sum of the shifts and t their product.
    TL_D void first_vector(const Team& team, int n, const A& h, Index first, Real& v0, Real& v1,
                           Real& v2) const {
        Index stride(n), one(1), zero(0);
        Index hi = select(active, last, Index(2)), lo = select(active, first, zero);
        Index corner = hi * stride + hi, start = lo * stride + lo;
        Real a = team.at(h, corner - stride - one), b = team.at(h, corner - stride);
        Real c = team.at(h, corner - one), d = team.at(h, corner);
        Real x00 = team.at(h, start), x01 = team.at(h, start + one);
        Real x10 = team.at(h, start + stride), x11 = team.at(h, start + stride + one);
        Real x21 = team.at(h, start + stride + stride + one);
        Mask top = since == Index(10), bottom = since == Index(19);
        if (any_of(active & (top | bottom))) {
            Real above = team.at(h, corner - stride - one - one);
            Real s = select(top, absolute(x10) + absolute(x21), absolute(c) + absolute(above));
            Real at = select(top, x00, d) + Real(0.75f) * s;
            Mask exceptional = top | bottom;
            a = select(exceptional, at, a);
            d = select(exceptional, at, d);
            b = select(exceptional, Real(-0.4375f) * s, b);
            c = select(exceptional, s, c);
        }
        BlockValues<Real> shifts(a, b, c, d);
        // The nearer one of two real shifts to the corner is used twice.
        Mask real = shifts.im == Real(0);
        Real nearer =
            select(absolute(shifts.re0 - d) <= absolute(shifts.re1 - d), shifts.re0, shifts.re1);
        Real re = select(real, nearer, shifts.re0);
        Real p = x00 - re, q = x11 - re;
        // All divided by about the largest factor, against underflow.
        Real r = inverse_power(power_below(absolute(p) + absolute(shifts.im) + absolute(x10)));
        Real ratio = x10 * r;
        v0 = ratio * x01 + p * (p * r) + shifts.im * (shifts.im * r);
        v1 = ratio * (p + q);
        v2 = ratio * x21;
    }

    TL_D void sweep(const Team& team, int n, const A& h, Index first) {
        Real zero(0), one(1), start0(0), start1(0), start2(0);
        first_vector(team, n, h, first, start0, start1, start2);
        int lo = team.least(select(active, first, Index(n)));
        int hi = team.most(select(active, last, Index(0)));
        for (int k = lo; k < hi; ++k) {
            bool three = k + 2 <= hi;
            Mask in = active & (first <= Index(k)) & (Index(k) < last);
            Mask starts = first == Index(k);
            Mask in_three = in & (Index(k + 2) <= last);
            Real x0 = start0, x1 = start1, x2 = start2;
            if (k > lo) {
                x0 = select(starts, start0, Real(h[k * n + k - 1]));
                x1 = select(starts, start1, Real(h[(k + 1) * n + k - 1]));
                if (three) x2 = select(starts, start2, Real(h[(k + 2) * n + k - 1]));
            }
            x2 = select(in_three, x2, zero);
            Real magnitude = absolute(x0) + absolute(x1) + absolute(x2);
            Mask some = in & (magnitude > zero);
            Real power = power_below(select(some, magnitude, one));
            Real inverse = inverse_power(power);
            x0 = x0 * inverse;
            x1 = x1 * inverse;
            x2 = x2 * inverse;
            Real norm = square_root(x0 * x0 + x1 * x1 + x2 * x2);
            Real beta = with_sign(norm, -x0);
            Real difference = select(some, x0 - beta, one);
            Real scaled = one / difference;
            Real v1 = select(some, x1 * scaled, zero), v2 = select(some, x2 * scaled, zero);
            Real tau = select(some, -difference / select(some, beta, one), zero);
            Real w1 = tau * v1, w2 = tau * v2;
            team.sync();
            if (k > lo && team.rank() == 0) {
                Mask inner = in & !starts;
                h[k * n + k - 1] =
                    select(inner, select(some, beta * power, zero), Real(h[k * n + k - 1]));
                h[(k + 1) * n + k - 1] = select(inner, zero, Real(h[(k + 1) * n + k - 1]));
                if (three)
                    h[(k + 2) * n + k - 1] =
                        select(in_three & !starts, zero, Real(h[(k + 2) * n + k - 1]));
            }
            if (three)
                reflect_three(team, n, h, k, lo, hi, v1, v2, tau, w1, w2);
            else
                reflect_two(team, n, h, k, lo, hi, v1, tau, w1);
        }
    }

    TL_D static void reflect_three(const Team& team, int n, const A& h, int k, int lo, int hi,
                                   Real v1, Real v2, Real tau, Real w1, Real w2) {
        for (int j = k + team.rank(); j <= hi; j += team.size()) {
            Real a = h[k * n + j], b = h[(k + 1) * n + j], c = h[(k + 2) * n + j];
            Real dot = a + v1 * b + v2 * c;
            h[k * n + j] = a - dot * tau;
            h[(k + 1) * n + j] = b - dot * w1;
            h[(k + 2) * n + j] = c - dot * w2;
        }
        team.sync();
        int end = k + 3 < hi ? k + 3 : hi;
        for (int i = lo + team.rank(); i <= end; i += team.size()) {
            Real a = h[i * n + k], b = h[i * n + k + 1], c = h[i * n + k + 2];
            Real dot = a + v1 * b + v2 * c;
            h[i * n + k] = a - dot * tau;
            h[i * n + k + 1] = b - dot * w1;
            h[i * n + k + 2] = c - dot * w2;
        }
        team.sync();
    }

    TL_D static void reflect_two(const Team& team, int n, const A& h, int k, int lo, int hi,
                                 Real v1, Real tau, Real w1) {
        for (int j = k + team.rank(); j <= hi; j += team.size()) {
            Real a = h[k * n + j], b = h[(k + 1) * n + j];
            Real dot = a + v1 * b;
            h[k * n + j] = a - dot * tau;
            h[(k + 1) * n + j] = b - dot * w1;
        }
        team.sync();
        for (int i = lo + team.rank(); i <= hi; i += team.size()) {
            Real a = h[i * n + k], b = h[i * n + k + 1];
            Real dot = a + v1 * b;
            h[i * n + k] = a - dot * tau;
            h[i * n + k + 1] = b - dot * w1;
        }
        team.sync();
    }
};

}  // namespace eigen

TL_DEVICE_END
