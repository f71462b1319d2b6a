// The five-point problem by the real roots of a polynomial of degree 10 (Nister 2004, "An efficient
// solution to the five-point relative pose problem"), without eigenvalues. It takes half of the
// work, but loses roots that nearly coincide. Problems that may have such roots go to the action
// matrix.
#pragma once

#include "solvers/pose/minimal/essential_kernel.h"
#include "solvers/pose/minimal/sturm_roots.h"

TL_DEVICE_BEGIN

namespace pose {

/// Scratch memory of the Sturm route.
template <class Real>
struct SturmStorage {
    Real coefficients[200];
    Real matrix[200];
    Real reduced[60];
    Real rows[39];  ///< three rows of polynomials in z: of x and y with 4, of 1 with 5
    Real solutions[30];
    Real there[10];  ///< 1 where a lane has the solution
};

/// Three polynomials of z whose combination x a + y b + c is zero at a solution: the row of x^2 z
/// less z times that of x^2 is such a one.
template <class Real>
TL_D void hidden_variable_row(const Real* first, const Real* second, Real* row) {
    // The basis is x z^2, x z, x, y z^2, y z, y, z^3, z^2, z, 1.
    for (int part = 0; part < 2; ++part) {
        const Real* r = first + 3 * part;
        const Real* s = second + 3 * part;
        Real* a = row + 4 * part;
        a[0] = r[2];
        a[1] = r[1] - s[2];
        a[2] = r[0] - s[1];
        a[3] = -s[0];
    }
    Real* c = row + 8;
    c[0] = first[9];
    for (int i = 1; i < 4; ++i) c[i] = first[9 - i] - second[10 - i];
    c[4] = -second[6];
}

/// p q, added to r or, with a negative sign, taken from it.
template <int kP, int kQ, class Real>
TL_D void add_product(const Real* p, const Real* q, Real sign, Real* r) {
    for (int i = 0; i <= kP; ++i)
        for (int j = 0; j <= kQ; ++j) r[i + j] += sign * p[i] * q[j];
}

/// The determinant of the three rows, of degree 10.
template <class Real>
TL_D void determinant_of(const Real* rows, Real* det) {
    for (int i = 0; i <= 10; ++i) det[i] = Real(0.0);
    for (int i = 0; i < 3; ++i) {
        const Real* own = rows + 13 * i;
        const Real* next = rows + 13 * ((i + 1) % 3);
        const Real* last = rows + 13 * ((i + 2) % 3);
        // x of one row times the minor of y and 1.
        Real minor[8];
        for (Real& m : minor) m = Real(0.0);
        add_product<3, 4>(next + 4, last + 8, Real(1.0), minor);
        add_product<3, 4>(last + 4, next + 8, Real(-1.0), minor);
        add_product<3, 7>(own, minor, Real(1.0), det);
    }
}

/// x and y of a solution by its z.
template <class Real>
TL_D void point_of(const Real* rows, Real z, Real* u) {
    Real at[9];
    for (int i = 0; i < 3; ++i) {
        at[3 * i] = value<3>(rows + 13 * i, z);
        at[3 * i + 1] = value<3>(rows + 13 * i + 4, z);
        at[3 * i + 2] = value<4>(rows + 13 * i + 8, z);
    }
    // Uses the pair of rows, one of three, with the largest determinant.
    Real best(0.0);
    u[0] = u[1] = Real(0.0);
    u[2] = z;
    for (int i = 0; i < 3; ++i) {
        const Real* p = at + 3 * i;
        const Real* q = at + 3 * ((i + 1) % 3);
        Real det = p[0] * q[1] - p[1] * q[0];
        auto larger = eigen::absolute(det) > eigen::absolute(best);
        best = eigen::select(larger, det, best);
        u[0] = eigen::select(larger, p[1] * q[2] - p[2] * q[1], u[0]);
        u[1] = eigen::select(larger, p[2] * q[0] - p[0] * q[2], u[1]);
    }
    Real inverse = Real(1.0) / eigen::select(best == Real(0.0), Real(1.0), best);
    u[0] = u[0] * inverse;
    u[1] = u[1] * inverse;
}

/// Calls sink.solution(want, u) for the coordinates of each essential matrix in `basis`, in lanes
/// where no solution can be lost; returns the other lanes of `valid`, which have had no call.
template <class Team, class Sink>
TL_D typename Team::Mask solve_by_sturm(const typename Team::Real* basis, typename Team::Mask valid,
                                        SturmStorage<typename Team::Real>& storage, Sink& sink) {
    using Real = typename Team::Real;
    using Solver = minimal::FivePoint;
    static_assert(Solver::kCoefficients == 200, "each of ten equations has all monomials");
    Solver::coefficients(basis, storage.coefficients);
    // Reorders the columns to x^3 y^3 x^2y xy^2, x^2z x^2 y^2z y^2 xyz xy, and the basis of
    // hidden_variable_row(); their order was x^3 x^2y xy^2 y^3 x^2z xyz y^2z xz^2 yz^2 z^3 x^2 xy
    // y^2 xz yz z^2 x y z 1.
    constexpr int kOrder[20] = {0, 3,  1,  2, 4,  10, 6, 12, 5,  11,
                                7, 13, 16, 8, 14, 17, 9, 15, 18, 19};
    for (int e = 0; e < 10; ++e)
        for (int j = 0; j < 20; ++j)
            storage.matrix[20 * e + j] = storage.coefficients[20 * e + kOrder[j]];
    auto sure = minimal::eliminate<Team>(storage.matrix, 10, 20, 6, storage.reduced);
    for (int i = 0; i < 3; ++i)
        hidden_variable_row(storage.reduced + 20 * i, storage.reduced + 20 * i + 10,
                            storage.rows + 13 * i);
    Real det[11];
    determinant_of(storage.rows, det);
    const SturmChain<10, Real> chain(det);
    // Rounding of the elimination grows with the size of its result, and again in the determinant.
    // In 12 million problems of general and planar views the product was above 12 wherever a root
    // was lost without another sign of it.
    Real largest(1.0);
    for (const Real& element : storage.reduced) {
        Real magnitude = eigen::absolute(element);
        largest = eigen::select(magnitude > largest, magnitude, largest);
    }
    constexpr double kMostError = 1e-1, kMostProduct = 1;
    sure = sure & (chain.error() < Real(kMostError)) &
           (chain.error() * (largest * largest) < Real(kMostProduct));
    sure = sure & (n_roots(chain, kLargestRoot) == n_roots(chain, kFarthestRoot));
    int n = 0;
    find_roots<Team, 10>(det, chain, valid & sure, [&](typename Team::Mask there, Real z) {
        Real* u = storage.solutions + 3 * n;
        point_of(storage.rows, z, u);
        auto converged = Real(0.0) > Real(0.0);
        constexpr int kMostSteps = 3;
        for (int i = 0; i < kMostSteps && Team::any(there & !converged); ++i)
            converged = minimal::improve(Solver(), storage.coefficients, u);
        auto moved = eigen::absolute(u[2] - z) > Real(1e-3) * (Real(1.0) + eigen::absolute(z));
        sure = sure & ((!there) | (converged & !moved));
        storage.there[n] = eigen::select(there, Real(1.0), Real(0.0));
        if (n > 0) {
            // Steps that end in the previous solution have lost their own one.
            Real apart(0.0), size(1.0);
            for (int i = 0; i < 3; ++i) {
                Real difference = u[i] - u[i - 3];
                apart += difference * difference;
                size += u[i] * u[i];
            }
            sure = sure & ((!there) | (apart > Real(1e-12) * size));
        }
        ++n;
    });
    for (int i = 0; i < n; ++i)
        sink.solution(valid & sure & (storage.there[i] > Real(0.0)), storage.solutions + 3 * i);
    return valid & !sure;
}

/// Scratch memory of five-point problems on the Sturm route.
template <class Real>
using SturmEssentialStorage = EpipolarStorage<5, SturmStorage<Real>, Real>;

/// Like essentials_of(), in lanes where no solution can be lost; returns the other lanes.
template <class Team, class Sink>
TL_D typename Team::Mask essentials_by_sturm(const typename Team::Real* pairs,
                                             typename Team::Mask valid,
                                             SturmEssentialStorage<typename Team::Real>& storage,
                                             Sink& sink) {
    (void)find_basis(pairs, storage);
    EssentialSink<Team, Sink> essentials{storage.basis, sink};
    return solve_by_sturm<Team>(storage.basis, valid, storage.solver, essentials);
}

}  // namespace pose

TL_DEVICE_END
