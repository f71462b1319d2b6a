// Balancing of matrices whose elements span such a range that products of them overflow or
// underflow. Permutations isolate eigenvalues (Parlett & Reinsch 1969; LAPACK's gebal), and powers
// of two for scaling are found from exponents alone. Elements are rounded once, at the end, so only
// elements of the balanced matrix can overflow or underflow.
#pragma once

#include "solvers/eigen/team.h"

TL_DEVICE_BEGIN

namespace eigen {

/// Arrays of one matrix: `h` and `w` are n x n, the others of n elements. `order` receives the
/// matrix's row for each row of `h`, `scale` exponents of the factors of balancing, `isolated` the
/// eigenvalues that permutations isolate, exactly, and NaN elsewhere. `w` and `rank` are
/// overwritten.
template <class A>
struct WideArrays {
    A h, w, order, scale, isolated, rank;
};

/// Limits of a wide matrix that its element type sets.
template <class Scalar>
struct WideLimits {
    static constexpr bool kDouble = sizeof(Scalar) == 8;
    /// Ratio of magnitudes from which a matrix is wide.
    static constexpr Scalar ratio() { return static_cast<Scalar>(kDouble ? 0x1p64 : 0x1p36); }
    /// Exponent of the largest element of the balanced matrix. It leaves range below for blocks
    /// that are far smaller, and above for squares and for inverse iteration.
    static constexpr Scalar top() { return static_cast<Scalar>(kDouble ? 400 : 40); }
    /// A magnitude far below all others of a balanced matrix.
    static constexpr Scalar least() { return static_cast<Scalar>(kDouble ? 0x1p-900 : 0x1p-80); }
    /// "Exponent" of zero, whatever scaling is added to it.
    static constexpr Scalar none() { return static_cast<Scalar>(kDouble ? -1e9 : -4e6); }
    static constexpr Scalar some() { return none() / 2; }  ///< exponents of elements are above
};

/// The rows and columns that are left when those which isolate an eigenvalue have been moved to
/// either end.
template <class Team>
struct ActiveRows {
    typename Team::Index first, last;
};

/// Finds the order of rows: one by one, rows without elements beside the diagonal go last, columns
/// without any go first. Lanes that are not `wide` keep their order.
template <class Team, class A>
TL_D ActiveRows<Team> isolate(const Team& team, int n, const WideArrays<A>& m,
                              typename Team::Mask wide) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    const Real zero(0), one(1);
    Real first(0), last(Real(Index(n - 1)));
    for (int i = team.rank(); i < n; i += team.size()) m.rank[i] = -one;
    team.sync();
    for (;;) {
        auto found = one < zero;
        for (int i = 0; i < n; ++i) {
            Real row(0), column(0);
            for (int j = team.rank(); j < n; j += team.size()) {
                auto beside = m.rank[j] < zero;
                if (j == i) continue;
                Real right = select(beside, absolute(Real(m.h[i * n + j])), zero);
                Real below = select(beside, absolute(Real(m.h[j * n + i])), zero);
                row = select(right > row, right, row);
                column = select(below > column, below, column);
            }
            row = team.largest(row);
            column = team.largest(column);
            auto active = wide & (m.rank[i] < zero);
            auto goes_last = active & (row == zero);
            auto goes_first = active & !(row == zero) & (column == zero);
            team.sync();
            if (team.rank() == 0)
                m.rank[i] = select(goes_last, last, select(goes_first, first, Real(m.rank[i])));
            last = select(goes_last, last - one, last);
            first = select(goes_first, first + one, first);
            found = found | goes_last | goes_first;
            team.sync();
        }
        if (!team.any(found)) break;
    }
    Real next = first;
    for (int i = 0; i < n; ++i) {
        Real rank = m.rank[i];
        auto active = rank < zero;
        rank = select(active, next, rank);
        next = select(active, next + one, next);
        if (team.rank() == 0) team.put(m.order, Index(rank), Real(Index(i)), one > zero);
    }
    team.sync();
    return {Index(first), Index(last)};
}

/// The larger exponent of row and of column `i` beside the diagonal, with the scaling so far, among
/// rows and columns `first` to `last`. `w` holds exponents.
template <class Team>
struct Extents {
    typename Team::Real row, column;

    template <class A>
    TL_D Extents(const Team& team, int n, const WideArrays<A>& m, int i, typename Team::Index first,
                 typename Team::Index last) {
        using Real = typename Team::Real;
        using Index = typename Team::Index;
        const Real none(WideLimits<typename Team::Scalar>::none());
        row = column = none;
        Real own = m.scale[i];
        for (int j = team.rank(); j < n; j += team.size()) {
            auto inside = (Index(j) >= first) & (Index(j) <= last);
            if (j == i) continue;
            Real by = m.scale[j] - own;
            Real right = select(inside, m.w[i * n + j] + by, none);
            Real below = select(inside, m.w[j * n + i] - by, none);
            row = select(right > row, right, row);
            column = select(below > column, below, column);
        }
        row = team.largest(row);
        column = team.largest(column);
    }
};

/// Adds `by` to the scaling of row i in lanes that `change`.
template <class Team, class A>
TL_D void scale_row(const Team& team, const A& scale, int i, typename Team::Real by,
                    typename Team::Mask change) {
    team.sync();
    if (team.rank() == 0) scale[i] = select(change, scale[i] + by, typename Team::Real(scale[i]));
    team.sync();
}

/// Finds the exponents of scaling. Largest elements of row and column i become alike in the active
/// rows (Osborne 1960). Elements that couple an isolated row to others are reduced to the size of
/// the rest.
template <class Team, class A>
TL_D void balance_exponents(const Team& team, int n, const WideArrays<A>& m,
                            ActiveRows<Team> active, typename Team::Mask wide) {
    using Scalar = typename Team::Scalar;
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    const Real some(WideLimits<Scalar>::some());
    const int most_passes = 20 + 10 * n;
    for (int pass = 0; pass < most_passes; ++pass) {
        auto changed = Real(1) < Real(0);
        for (int k = 0; k < n; ++k) {
            int i = pass % 2 == 0 ? k : n - 1 - k;  // chains of elements settle in either direction
            Extents<Team> is(team, n, m, i, active.first, active.last);
            Real by = rounded_down((is.row - is.column) * Real(0.5f) + Real(0.5f));
            auto change = wide & (Index(i) >= active.first) & (Index(i) <= active.last) &
                          (is.row > some) & (is.column > some) & (absolute(by) > Real(0)) &
                          (absolute(is.row - is.column) > Real(1));
            if (!team.any(change)) continue;
            changed = changed | change;
            scale_row(team, m.scale, i, by, change);
        }
        if (!team.any(changed)) break;
    }
    // The largest element of the diagonal and between active rows.
    Real base(WideLimits<Scalar>::none());
    for (int i = 0; i < n; ++i) {
        Extents<Team> is(team, n, m, i, active.first, active.last);
        auto inside = (Index(i) >= active.first) & (Index(i) <= active.last);
        Real size = m.w[i * n + i];
        size = select(inside & (is.row > size), is.row, size);
        base = select(size > base, size, base);
    }
    wide = wide & (base > some);
    for (int i = n - 1; i >= 0; --i) {
        Extents<Team> is(team, n, m, i, Index(i), active.last);
        scale_row(team, m.scale, i, is.row - base,
                  wide & (Index(i) < active.first) & (is.row > base));
    }
    for (int i = 0; i < n; ++i) {
        Extents<Team> is(team, n, m, i, Index(0), Index(i));
        scale_row(team, m.scale, i, base - is.column,
                  wide & (Index(i) > active.last) & (is.column > base));
    }
}

/// Balances lanes that are `wide`: `h` becomes the balanced matrix with a largest element of about
/// 2^top. Returns the exponent of the power of two by which `h` was divided.
template <class Team, class A>
TL_D typename Team::Real balance_wide(const Team& team, int n, const WideArrays<A>& m,
                                      typename Team::Mask wide) {
    using Scalar = typename Team::Scalar;
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    const Real none(WideLimits<Scalar>::none());
    auto active = isolate(team, n, m, wide);
    for (int p = 0; p < n; ++p)
        for (int q = team.rank(); q < n; q += team.size())
            m.w[p * n + q] =
                team.at(m.h, Index(Real(m.order[p])) * Index(n) + Index(Real(m.order[q])));
    team.sync();
    const Real nan(std::numeric_limits<Scalar>::quiet_NaN());
    for (int p = team.rank(); p < n; p += team.size()) {
        auto alone = (Index(p) < active.first) | (Index(p) > active.last);
        m.isolated[p] = select(wide & alone, Real(m.w[p * n + p]), nan);
    }
    team.sync();
    for (int e = team.rank(); e < n * n; e += team.size()) {
        Real x = m.w[e];
        m.h[e] = x;
        auto zero = x == Real(0);
        m.w[e] = select(zero, none, exponent_of<Scalar>(select(zero, Real(1), x)));
    }
    team.sync();
    balance_exponents(team, n, m, active, wide);
    Real largest = none;
    for (int p = 0; p < n; ++p)
        for (int q = team.rank(); q < n; q += team.size()) {
            Real size = m.w[p * n + q] + (m.scale[q] - m.scale[p]);
            largest = select(size > largest, size, largest);
        }
    Real exponent = team.largest(largest) - Real(WideLimits<Scalar>::top());
    for (int p = 0; p < n; ++p)
        for (int q = team.rank(); q < n; q += team.size()) {
            Real x = m.h[p * n + q];
            Real by = m.scale[q] - m.scale[p] - exponent;
            m.h[p * n + q] = select(wide, times_power<Scalar>(x, by), x);
        }
    team.sync();
    return exponent;
}

/// The largest sum of magnitudes of a row of the block of the Hessenberg matrix that holds row
/// `position` and ends before row `end`; `least` where it is zero.
template <class Team, class A>
TL_D typename Team::Real block_norm(const Team& team, int n, const A& h,
                                    typename Team::Index position, typename Team::Index end) {
    using Scalar = typename Team::Scalar;
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    Index begin(0);
    for (int k = 1; k < n; ++k) {
        auto cut = (Index(k) <= position) & (Real(h[k * n + k - 1]) == Real(0));
        begin = select(cut, Index(k), begin);
    }
    Real norm(0);
    for (int i = team.rank(); i < n; i += team.size()) {
        Real row(0);
        for (int j = i > 0 ? i - 1 : 0; j < n; ++j)
            row += select((Index(j) >= begin) & (Index(j) < end), absolute(Real(h[i * n + j])),
                          Real(0));
        norm = select((Index(i) >= begin) & (Index(i) < end) & (row > norm), row, norm);
    }
    norm = team.largest(norm);
    return select(norm > Real(0), norm, Real(WideLimits<Scalar>::least()));
}

}  // namespace eigen

TL_DEVICE_END
