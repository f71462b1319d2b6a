// Fundamental matrices of two views from seven pairs of points (Hartley and Zisserman 2003, chapter
// 11.1.2): combinations of the two matrices that fit all pairs, whose determinant is zero. Those
// that no points before both cameras can have are left out (Chum, Werner and Matas 2004, "Epipolar
// geometry estimation via RANSAC benefits from the oriented epipolar constraint").
#pragma once

#include "solvers/pose/lanes.h"
#include "solvers/pose/minimal/null_space.h"
#include "solvers/pose/minimal/three_point.h"

TL_DEVICE_BEGIN

namespace pose {

struct NoSolver {};
/// Scratch memory of seven-point problems.
template <class Real>
using SevenPairStorage = EpipolarStorage<7, NoSolver, Real>;

/// The cofactors of a 3 x 3 matrix, row by row.
template <class Real>
TL_D void cofactors_of(const Real* m, Real* result) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const Real* next = m + 3 * ((i + 1) % 3);
            const Real* last = m + 3 * ((i + 2) % 3);
            int p = (j + 1) % 3, q = (j + 2) % 3;
            result[3 * i + j] = next[p] * last[q] - next[q] * last[p];
        }
}

/// Coefficients of det(x A + B), from the constant on.
template <class Real>
TL_D void determinant_of_pencil(const Real* a, const Real* b, Real* c) {
    Real of_a[9], of_b[9];
    cofactors_of(a, of_a);
    cofactors_of(b, of_b);
    for (int k = 0; k < 4; ++k) c[k] = Real(0.0);
    for (int j = 0; j < 9; ++j) {
        if (j < 3) c[0] += of_b[j] * b[j];
        c[1] += of_b[j] * a[j];
        c[2] += of_a[j] * b[j];
        if (j < 3) c[3] += of_a[j] * a[j];
    }
}

/// The real roots of x^3 + b x^2 + c x + d: the largest one, then those of the quadratic that is
/// left, improved by Newton steps. `there`: in which lanes each exists.
template <class Team>
TL_D void cubic_roots(typename Team::Real b, typename Team::Real c, typename Team::Real d,
                      typename Team::Real* roots, typename Team::Mask* there) {
    using Real = typename Team::Real;
    for (int lane = 0; lane < kLanes<double>; ++lane)
        set_lane(roots[0], lane,
                 motion::largest_root(of_lane(b, lane), of_lane(c, lane), of_lane(d, lane)));
    Real p = b + roots[0], q = c + roots[0] * p, square = p * p - Real(4.0) * q;
    there[0] = roots[0] == roots[0];
    there[1] = there[2] = square > Real(0.0);
    Real root = eigen::square_root(eigen::select(there[1], square, Real(1.0)));
    roots[1] = Real(-0.5) * (p + eigen::with_sign(root, p));
    roots[2] = q / roots[1];
    constexpr int kSteps = 2;
    for (int step = 0; step < kSteps; ++step)
        for (int k = 1; k < 3; ++k) {
            Real x = roots[k], slope = (Real(3.0) * x + Real(2.0) * b) * x + c;
            auto steep = eigen::absolute(slope) > Real(0.0);
            Real value = ((x + b) * x + c) * x + d;
            roots[k] = x - value / eigen::select(steep, slope, Real(1e300));
        }
}

/// Whether the epipolar lines F x1 and e2 x x2 of all seven pairs have one orientation, where e2 is
/// the epipole of the second view: the points may be before both cameras.
template <class Real>
TL_D auto are_oriented(const Real* f, const Real* pairs) {
    // The cofactors of a matrix of rank 2 are e2 e1', up to a factor: e2 is the longest column.
    Real cofactors[9], e[3] = {Real(0.0), Real(0.0), Real(0.0)}, longest(0.0);
    cofactors_of(f, cofactors);
    for (int j = 0; j < 3; ++j) {
        Real squares(0.0);
        for (int i = 0; i < 3; ++i) squares += cofactors[3 * i + j] * cofactors[3 * i + j];
        auto longer = squares > longest;
        longest = eigen::select(longer, squares, longest);
        for (int i = 0; i < 3; ++i) e[i] = eigen::select(longer, cofactors[3 * i + j], e[i]);
    }
    Real n_positive(0.0);
    for (int i = 0; i < 7; ++i) {
        const Real* c = pairs + 4 * i;
        Real line[3];
        for (int k = 0; k < 3; ++k)
            line[k] = f[3 * k] * c[0] + (f[3 * k + 1] * c[1] + f[3 * k + 2]);
        Real same = line[0] * (e[1] - e[2] * c[3]) + line[1] * (e[2] * c[2] - e[0]) +
                    line[2] * (e[0] * c[3] - e[1] * c[2]);
        n_positive += eigen::select(same > Real(0.0), Real(1.0), Real(0.0));
    }
    return (n_positive == Real(0.0)) | (n_positive == Real(7.0));
}

/// Calls sink.model(want, f) for each oriented fundamental matrix of seven pairs x1, y1, x2, y2,
/// row by row and of Frobenius norm 1. Degenerate pairs, whose equations are dependent, have none.
template <class Team, class Sink>
TL_D void seven_pairs(const typename Team::Real* pairs, typename Team::Mask valid,
                      SevenPairStorage<typename Team::Real>& storage, Sink& sink) {
    using Real = typename Team::Real;
    constexpr double kLeastDistance = 1e-9;  // rows have lengths of one to three
    valid = valid & (find_basis(pairs, storage) > Real(kLeastDistance));
    const Real* a = storage.basis;
    const Real* b = storage.basis + 9;
    Real c[4];
    determinant_of_pencil(a, b, c);
    // F is x A + B or A + x B, whichever has the larger leading coefficient.
    auto first = !(eigen::absolute(c[3]) < eigen::absolute(c[0]));
    Real leading = eigen::select(first, c[3], c[0]);
    auto regular = eigen::absolute(leading) > Real(0.0);
    Real inverse = Real(1.0) / eigen::select(regular, leading, Real(1.0));
    Real roots[3];
    typename Team::Mask there[3];
    cubic_roots<Team>(eigen::select(first, c[2], c[1]) * inverse,
                      eigen::select(first, c[1], c[2]) * inverse,
                      eigen::select(first, c[0], c[3]) * inverse, roots, there);
    for (int k = 0; k < 3; ++k) {
        Real of_a = eigen::select(first, roots[k], Real(1.0));
        Real of_b = eigen::select(first, Real(1.0), roots[k]);
        Real f[9], squares(0.0);
        for (int j = 0; j < 9; ++j) {
            f[j] = of_a * a[j] + of_b * b[j];
            squares += f[j] * f[j];
        }
        Real factor = Real(1.0) / eigen::square_root(squares);
        for (Real& element : f) element = element * factor;
        auto finite = squares < Real(1e300);
        sink.model(valid & regular & there[k] & finite & are_oriented(f, pairs), f);
    }
}

}  // namespace pose

TL_DEVICE_END
