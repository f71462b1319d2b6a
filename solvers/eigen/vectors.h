// Transforms eigenvectors of the Hessenberg form to those of the matrix: reflectors, balancing,
// unit length.
#pragma once

#include "solvers/eigen/inverse_iteration.h"

TL_DEVICE_BEGIN

namespace eigen {

/// y = Q y, for the reflectors Q that `h` and `tau` hold.
template <class Team, class A>
TL_D void reflect_back(const Team& team, int n, const A& h, const A& tau, const A& y) {
    using Real = typename Team::Real;
    for (int k = n - 3; k >= 0; --k) {
        Real dot(0);
        for (int i = team.rank(); i < n; i += team.size()) {
            if (i <= k) continue;
            Real v = Real(1);
            if (i > k + 1) v = h[i * n + k];
            dot += v * y[i];
        }
        dot = team.sum(dot) * tau[k];
        for (int i = team.rank(); i < n; i += team.size()) {
            if (i <= k) continue;
            Real v = Real(1);
            if (i > k + 1) v = h[i * n + k];
            y[i] = y[i] - v * dot;
        }
    }
    team.sync();
}

/// y = D y, for balancing D with the exponents `scale`.
template <class Team, class A, class Plane>
TL_D void scale_back(const Team& team, int n, const A& scale, const Plane& y) {
    using Real = typename Team::Real;
    for (int i = team.rank(); i < n; i += team.size())
        y.set(i, times(y.get(i), power_of(Real(scale[i]))));
    team.sync();
}

/// y = P D y, for the permutation `order` and balancing D; of `wide` matrices divided by a power of
/// two, so that the largest component is about 1 and only far smaller ones become zero. `x` is
/// overwritten.
template <class Team, class A, class Plane>
TL_D void scale_back_wide(const Team& team, int n, const A& scale, const A& order, const Plane& y,
                          const Plane& x, typename Team::Mask wide) {
    using Scalar = typename Team::Scalar;
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    Real largest(WideLimits<Scalar>::none());
    for (int i = team.rank(); i < n; i += team.size()) {
        Real size = magnitude(y.get(i));
        auto some = size > Real(0);
        Real exponent = exponent_of<Scalar>(select(some, size, Real(1))) + scale[i];
        largest = select(some & (exponent > largest), exponent, largest);
    }
    largest = select(wide, team.largest(largest), Real(0));
    for (int i = team.rank(); i < n; i += team.size())
        x.set(i, times_power<Scalar>(y.get(i), scale[i] - largest));
    team.sync();
    auto all = Real(0) < Real(1);
    for (int i = team.rank(); i < n; i += team.size())
        y.put(team, Index(Real(order[i])), x.get(i), all);
    team.sync();
}

/// Divides by the 2-norm.
template <class Team, class A>
TL_D void normalise(const Team& team, int n, const RealPlane<typename Team::Real, A>& y) {
    using Real = typename Team::Real;
    Real largest(0), squares(0);
    for (int i = team.rank(); i < n; i += team.size()) {
        Real size = absolute(Real(y.re[i]));
        largest = select(size > largest, size, largest);
    }
    Real power = inverse_power(power_below(team.largest(largest)));
    for (int i = team.rank(); i < n; i += team.size()) {
        Real value = y.re[i] * power;
        squares += value * value;
    }
    Real factor = Real(1) / square_root(team.sum(squares));
    for (int i = team.rank(); i < n; i += team.size()) y.re[i] = y.re[i] * power * factor;
    team.sync();
}

/// Divides by the 2-norm and turns the largest component to the real axis, as LAPACK's geev does.
template <class Team, class A>
TL_D void normalise(const Team& team, int n, const ComplexPlane<typename Team::Real, A>& y) {
    using Real = typename Team::Real;
    Real largest(0), squares(0), most(-1), turn_re(1), turn_im(0);
    for (int i = 0; i < n; ++i) {
        Real size = absolute(Real(y.re[i])) + absolute(Real(y.im[i]));
        largest = select(size > largest, size, largest);
    }
    Real power = inverse_power(power_below(largest));
    for (int i = 0; i < n; ++i) {
        Real re = y.re[i] * power, im = y.im[i] * power;
        Real square = re * re + im * im;
        squares += square;
        auto more = square > most;
        most = select(more, square, most);
        turn_re = select(more, re, turn_re);
        turn_im = select(more, im, turn_im);
    }
    Real factor = power / square_root(squares * most);
    turn_re = turn_re * factor;
    turn_im = turn_im * factor;
    team.sync();
    for (int i = team.rank(); i < n; i += team.size()) {
        Real re = y.re[i], im = y.im[i];
        y.re[i] = re * turn_re + im * turn_im;
        y.im[i] = im * turn_re - re * turn_im;
    }
    team.sync();
}

/// The first row after the block of the Hessenberg matrix that holds row `position`.
template <class Team, class A>
TL_D typename Team::Index block_end(int n, const A& h, typename Team::Index position) {
    using Index = typename Team::Index;
    Index end(n);
    for (int k = n - 1; k > 0; --k) {
        auto cut = (Index(k) > position) &
                   (typename Team::Real(h[k * n + k - 1]) == typename Team::Real(0));
        end = select(cut, Index(k), end);
    }
    return end;
}

/// The first position after `before` whose imaginary part is zero (or, for pairs, above zero); n
/// where there is none.
template <class Team, class A>
TL_D typename Team::Index next_position(int n, const A& im, typename Team::Index before,
                                        bool pairs) {
    using Index = typename Team::Index;
    using Real = typename Team::Real;
    Index next(n);
    for (int q = n - 1; q >= 0; --q) {
        Real part = im[q];
        auto fits = pairs ? part > Real(0) : part == Real(0);
        next = select((Index(q) > before) & fits, Index(q), next);
    }
    return next;
}

}  // namespace eigen

TL_DEVICE_END
