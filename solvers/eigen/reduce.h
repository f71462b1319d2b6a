// Reduction to Hessenberg form: scaling to about 1, balancing by powers of two, and Householder
// reflectors that are kept below the subdiagonal (Golub & Van Loan, algorithm 7.4.2). Balancing is
// after Parlett & Reinsch 1969 and LAPACK's gebal; only wide matrices get its permutations.
#pragma once

#include "solvers/eigen/wide_range.h"

TL_DEVICE_BEGIN

namespace eigen {

/// Working memory of the reduction, matrices row by row: element (i, j) is h[i * n + j]. The arrays
/// of n elements are `scale`, the exponents of the factors of balancing, `tau`, the factors of the
/// reflectors, and those of a wide matrix (WideArrays). `w` is n x n and overwritten.
template <class Team, class A>
struct Reduced {
    A h, w, scale, tau, order, isolated;
    typename Team::Real exponent;  ///< the matrix was divided by the power of two with it
    typename Team::Mask finite;    ///< others were replaced by zeros
    typename Team::Mask wide;      ///< was balanced as a wide matrix
};

/// Magnitudes of a matrix's elements.
template <class Team>
struct Range {
    typename Team::Real largest;
    typename Team::Real least;  ///< but zero; the largest finite number where there is none
    typename Team::Mask finite;

    template <class A>
    TL_D Range(const Team& team, int n, const A& h) {
        using Real = typename Team::Real;
        Real zero(0);
        largest = zero;
        least = Real(std::numeric_limits<typename Team::Scalar>::max());
        for (int e = team.rank(); e < n * n; e += team.size()) {
            Real x = h[e];
            zero += x * Real(0);  // NaN if x is not finite
            Real magnitude = absolute(x);
            largest = select(magnitude > largest, magnitude, largest);
            least = select((magnitude < least) & (magnitude > Real(0)), magnitude, least);
        }
        largest = team.largest(largest);
        least = -team.largest(-least);
        finite = team.sum(zero) == Real(0);
    }
};

/// Multiplies by the inverse of a power of two, whose exponent is returned: the largest element is
/// about 1. Lanes that are not to be `scaled` stay as they are; without finite elements, they
/// become zero.
template <class Team, class A>
TL_D typename Team::Real scale_to_one(const Team& team, int n, const A& h, const Range<Team>& range,
                                      typename Team::Mask scaled) {
    using Real = typename Team::Real;
    Real power = power_below(select(range.finite & scaled, range.largest, Real(1)));
    Real inverse = inverse_power(power);
    for (int e = team.rank(); e < n * n; e += team.size())
        h[e] = select(range.finite, Real(h[e]) * inverse, Real(0));
    team.sync();
    return exponent_of_normal(power);
}

/// Balances lanes that `may` be balanced; `scale` holds zeros.
template <class Team, class A>
TL_D void balance(const Team& team, int n, const A& h, const A& scale, typename Team::Mask may) {
    using Real = typename Team::Real;
    constexpr int kMostPasses = 6;
    // Products of factors stay within the square root of the range.
    const Real most(
        static_cast<typename Team::Scalar>(sizeof(typename Team::Scalar) == 8 ? 500 : 60));
    for (int pass = 0; pass < kMostPasses; ++pass) {
        typename Team::Mask changed = Real(1) < Real(0);
        for (int i = 0; i < n; ++i) {
            Real column(0), row(0);
            for (int j = team.rank(); j < n; j += team.size()) {
                if (j == i) continue;
                column += absolute(Real(h[j * n + i]));
                row += absolute(Real(h[i * n + j]));
            }
            column = team.sum(column);
            row = team.sum(row);
            auto some = may & (column > Real(0)) & (row > Real(0));
            Real factor = root_power(select(some, row, Real(1)), select(some, column, Real(1)));
            Real inverse = inverse_power(factor);
            Real whole = scale[i] + exponent_of_normal(factor);
            auto change = some & (column * factor + row * inverse < Real(0.95f) * (column + row)) &
                          (absolute(whole) < most);
            team.sync();
            if (!team.any(change)) continue;
            changed = changed | change;
            factor = select(change, factor, Real(1));
            inverse = select(change, inverse, Real(1));
            for (int j = team.rank(); j < n; j += team.size()) {
                if (j == i) {
                    scale[i] = select(change, whole, Real(scale[i]));
                    continue;
                }
                h[j * n + i] = h[j * n + i] * factor;
                h[i * n + j] = h[i * n + j] * inverse;
            }
            team.sync();
        }
        if (!team.any(changed)) break;
    }
}

/// Reflector k is I - tau[k] v v^T with v = (1, h(k + 2, k), ..., h(n - 1, k)) from row k + 1 on.
template <class Team, class A>
TL_D void hessenberg(const Team& team, int n, const A& h, const A& tau) {
    using Real = typename Team::Real;
    for (int k = 0; k + 2 < n; ++k) {
        Real size(0), squares(0);
        for (int i = k + 1; i < n; ++i) size += absolute(Real(h[i * n + k]));
        // All divided by about the largest element, against overflow and underflow.
        Real power = power_below(size);
        Real to_one = inverse_power(power);
        for (int i = k + 2; i < n; ++i) {
            Real x = h[i * n + k] * to_one;
            squares += x * x;
        }
        Real alpha = h[(k + 1) * n + k] * to_one;
        auto some = squares > Real(0);
        Real beta = with_sign(square_root(alpha * alpha + squares), -alpha);
        Real t = select(some, (beta - alpha) / beta, Real(0));
        Real inverse = select(some, Real(1) / (alpha - beta), Real(0));
        team.sync();
        for (int i = k + 2 + team.rank(); i < n; i += team.size())
            h[i * n + k] = h[i * n + k] * to_one * inverse;
        if (team.rank() == 0) {
            h[(k + 1) * n + k] = select(some, beta * power, Real(h[(k + 1) * n + k]));
            tau[k] = t;
        }
        team.sync();
        for (int j = k + 1 + team.rank(); j < n; j += team.size()) {
            Real dot = h[(k + 1) * n + j];
            for (int i = k + 2; i < n; ++i) dot += h[i * n + k] * h[i * n + j];
            dot *= t;
            h[(k + 1) * n + j] = h[(k + 1) * n + j] - dot;
            for (int i = k + 2; i < n; ++i) h[i * n + j] = h[i * n + j] - dot * h[i * n + k];
        }
        team.sync();
        for (int i = team.rank(); i < n; i += team.size()) {
            Real dot = h[i * n + k + 1];
            for (int j = k + 2; j < n; ++j) dot += h[i * n + j] * h[j * n + k];
            dot *= t;
            h[i * n + k + 1] = h[i * n + k + 1] - dot;
            for (int j = k + 2; j < n; ++j) h[i * n + j] = h[i * n + j] - dot * h[j * n + k];
        }
        team.sync();
    }
}

/// Sets subdiagonal elements to zero that are negligible relative to their neighbours on the
/// diagonal, or to `instead` where those are zero. Returns the largest sum of magnitudes of a row.
template <class Team, class A>
TL_D typename Team::Real split(const Team& team, int n, const A& h, typename Team::Real instead) {
    using Real = typename Team::Real;
    Real norm(0), epsilon(std::numeric_limits<typename Team::Scalar>::epsilon());
    for (int i = team.rank(); i < n; i += team.size()) {
        Real row(0);
        for (int j = i > 0 ? i - 1 : 0; j < n; ++j) row += absolute(Real(h[i * n + j]));
        norm = select(row > norm, row, norm);
        if (i == 0) continue;
        Real beside = absolute(Real(h[i * n + i])) + absolute(Real(h[(i - 1) * n + i - 1]));
        Real below = h[i * n + i - 1];
        beside = select(beside > Real(0), beside, instead);
        h[i * n + i - 1] = select(absolute(below) <= epsilon * beside, Real(0), below);
    }
    norm = team.largest(norm);
    team.sync();
    return norm;
}

/// Size that replaces neighbours on the diagonal if both are zero: that of the matrix, whose
/// elements are about 1. In wide ones blocks may be far smaller.
template <class Team>
TL_D typename Team::Real instead_of_zero(typename Team::Mask wide) {
    using Real = typename Team::Real;
    return select(wide, Real(WideLimits<typename Team::Scalar>::least()), Real(1));
}

/// Runs the whole reduction of the matrix in `h`. Without kWide no matrix is treated as wide.
template <bool kWide, class Team, class A>
TL_D void reduce(const Team& team, int n, bool balanced, Reduced<Team, A>& m) {
    using Real = typename Team::Real;
    Range<Team> range(team, n, m.h);
    m.finite = range.finite;
    m.wide = Real(1) < Real(0);
    if constexpr (kWide) {
        const Real share(1 / WideLimits<typename Team::Scalar>::ratio());
        if (balanced) m.wide = m.finite & (range.largest * share > range.least);
    }
    m.exponent = scale_to_one(team, n, m.h, range, !m.wide);
    for (int i = team.rank(); i < n; i += team.size()) m.scale[i] = Real(0);
    team.sync();
    if constexpr (kWide) {
        if (team.any(m.wide)) {
            Real exponent = balance_wide(
                team, n, WideArrays<A>{m.h, m.w, m.order, m.scale, m.isolated, m.tau}, m.wide);
            m.exponent = select(m.wide, exponent, m.exponent);
        }
    }
    if (balanced) balance(team, n, m.h, m.scale, !m.wide);
    Real exponent = scale_to_one(team, n, m.h, Range<Team>(team, n, m.h), !m.wide);
    m.exponent = m.exponent + exponent;
    hessenberg(team, n, m.h, m.tau);
}

}  // namespace eigen

TL_DEVICE_END
