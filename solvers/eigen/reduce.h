// From a matrix to Hessenberg form: scaling to about 1, balancing by powers of two (Parlett &
// Reinsch 1969; LAPACK's gebal without its permutations), and Householder reflectors that are kept
// below the subdiagonal (Golub & Van Loan, algorithm 7.4.2).
#pragma once

#include "solvers/eigen/team.h"

TL_DEVICE_BEGIN

namespace eigen {

/// A matrix on its way, row by row: element (i, j) is h[i * n + j]. The arrays of n elements are
/// `scale`, the factors of balancing, and `tau`, those of the reflectors.
template <class Team, class A>
struct Reduced {
    A h, scale, tau;
    typename Team::Real first_power, second_power;  ///< the matrix was divided by both
    typename Team::Mask finite;                     ///< others were replaced by zeros
};

/// Multiplies by the inverse of a power of two, which is returned: the largest element is about 1.
template <class Team, class A>
TL_D typename Team::Real scale_to_one(const Team& team, int n, const A& h,
                                      typename Team::Mask* finite) {
    using Real = typename Team::Real;
    Real largest(0), zero(0);
    for (int e = team.rank(); e < n * n; e += team.size()) {
        Real x = h[e];
        zero += x * Real(0);  // NaN if x is not finite
        Real magnitude = absolute(x);
        largest = select(magnitude > largest, magnitude, largest);
    }
    largest = team.largest(largest);
    auto keep = team.sum(zero) == Real(0);
    if (finite) *finite = keep;
    Real power = power_below(select(keep, largest, Real(1)));
    Real inverse = inverse_power(power);
    for (int e = team.rank(); e < n * n; e += team.size())
        h[e] = select(keep, Real(h[e]) * inverse, Real(0));
    team.sync();
    return power;
}

template <class Team, class A>
TL_D void balance(const Team& team, int n, const A& h, const A& scale) {
    using Real = typename Team::Real;
    constexpr int kMostPasses = 6;
    // Products of factors stay within the square root of the range.
    const Real most(
        static_cast<typename Team::Scalar>(sizeof(typename Team::Scalar) == 8 ? 0x1p500 : 0x1p60));
    for (int i = team.rank(); i < n; i += team.size()) scale[i] = Real(1);
    team.sync();
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
            auto some = (column > Real(0)) & (row > Real(0));
            Real factor = root_power(select(some, row, Real(1)), select(some, column, Real(1)));
            Real inverse = inverse_power(factor);
            Real whole = scale[i] * factor;
            auto change = some & (column * factor + row * inverse < Real(0.95f) * (column + row)) &
                          (whole < most) & (whole * most > Real(1));
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
        Real alpha = h[(k + 1) * n + k], squares(0);
        for (int i = k + 2; i < n; ++i) {
            Real x = h[i * n + k];
            squares += x * x;
        }
        auto some = squares > Real(0);
        Real beta = with_sign(square_root(alpha * alpha + squares), -alpha);
        Real t = select(some, (beta - alpha) / beta, Real(0));
        Real inverse = select(some, Real(1) / (alpha - beta), Real(0));
        team.sync();
        for (int i = k + 2 + team.rank(); i < n; i += team.size())
            h[i * n + k] = h[i * n + k] * inverse;
        if (team.rank() == 0) {
            h[(k + 1) * n + k] = select(some, beta, alpha);
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

/// Makes subdiagonal elements zero that are negligible beside their neighbours on the diagonal, and
/// returns the largest sum of magnitudes of a row.
template <class Team, class A>
TL_D typename Team::Real split(const Team& team, int n, const A& h) {
    using Real = typename Team::Real;
    Real norm(0), epsilon(std::numeric_limits<typename Team::Scalar>::epsilon());
    for (int i = team.rank(); i < n; i += team.size()) {
        Real row(0);
        for (int j = i > 0 ? i - 1 : 0; j < n; ++j) row += absolute(Real(h[i * n + j]));
        norm = select(row > norm, row, norm);
        if (i == 0) continue;
        Real beside = absolute(Real(h[i * n + i])) + absolute(Real(h[(i - 1) * n + i - 1]));
        Real below = h[i * n + i - 1];
        // Diagonals of nothing but zeros are compared with the matrix, whose elements are about 1.
        beside = select(beside > Real(0), beside, Real(1));
        h[i * n + i - 1] = select(absolute(below) <= epsilon * beside, Real(0), below);
    }
    norm = team.largest(norm);
    team.sync();
    return norm;
}

/// All of it. `h` holds the matrix.
template <class Team, class A>
TL_D void reduce(const Team& team, int n, bool balanced, Reduced<Team, A>& m) {
    m.first_power = scale_to_one(team, n, m.h, &m.finite);
    if (balanced) {
        balance(team, n, m.h, m.scale);
    } else {
        for (int i = team.rank(); i < n; i += team.size()) m.scale[i] = typename Team::Real(1);
        team.sync();
    }
    m.second_power = scale_to_one(team, n, m.h, static_cast<typename Team::Mask*>(nullptr));
    hessenberg(team, n, m.h, m.tau);
}

}  // namespace eigen

TL_DEVICE_END
