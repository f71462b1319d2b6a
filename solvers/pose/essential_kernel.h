// Steps of the five-point problem, for one problem or one in each lane of a pack.
#pragma once

#include "solvers/minimal/five_point.h"
#include "solvers/minimal/template_solver.h"

TL_DEVICE_BEGIN

namespace pose {

/// The four vectors that are orthogonal to the rows of a 5 x 9 matrix, orthonormal, one after the
/// other; `a` is overwritten. By Householder's reflectors of its transpose.
template <class Real>
TL_D void null_space(Real* a, Real* basis) {
    constexpr int kRows = 5, kColumns = 9, kBasis = kColumns - kRows;
    Real factors[kRows];
    for (int k = 0; k < kRows; ++k) {
        Real* v = a + k * kColumns;
        Real squares(0.0);
        for (int j = k; j < kColumns; ++j) squares += v[j] * v[j];
        Real length = eigen::square_root(squares);
        auto there = length > Real(0.0);
        Real alpha = eigen::with_sign(length, v[k]);
        // v = row + alpha e_k, and 2 / v'v = 1 / (alpha v_k).
        v[k] = eigen::select(there, v[k] + alpha, Real(1.0));
        factors[k] = eigen::select(there, Real(1.0) / (alpha * v[k]), Real(0.0));
        for (int i = k + 1; i < kRows; ++i) {
            Real dot(0.0);
            for (int j = k; j < kColumns; ++j) dot += v[j] * a[i * kColumns + j];
            dot = dot * factors[k];
            for (int j = k; j < kColumns; ++j) a[i * kColumns + j] -= dot * v[j];
        }
    }
    for (int b = 0; b < kBasis; ++b) {
        Real* e = basis + b * kColumns;
        for (int j = 0; j < kColumns; ++j) e[j] = Real(j == kRows + b ? 1.0 : 0.0);
        for (int k = kRows - 1; k >= 0; --k) {
            const Real* v = a + k * kColumns;
            Real dot(0.0);
            for (int j = k; j < kColumns; ++j) dot += v[j] * e[j];
            dot = dot * factors[k];
            for (int j = k; j < kColumns; ++j) e[j] -= dot * v[j];
        }
    }
}

/// What five-point problems work in.
template <class Real>
struct EssentialStorage {
    Real rows[5 * 9];
    Real basis[4 * 9];
    minimal::TemplateStorage<minimal::FivePoint, Real> solver;
};

/// Turns coordinates in the basis into essential matrices.
template <class Team, class Sink>
struct EssentialSink {
    using Real = typename Team::Real;
    const Real* basis;
    Sink& sink;

    TL_D void solution(typename Team::Mask want, const Real* u) {
        Real e[9], squares(0.0);
        for (int j = 0; j < 9; ++j) {
            e[j] = u[0] * basis[j] + u[1] * basis[9 + j] + u[2] * basis[18 + j] + basis[27 + j];
            squares += e[j] * e[j];
        }
        Real factor = Real(1.0) / eigen::square_root(squares);
        for (Real& element : e) element = element * factor;
        // What overflowed is no solution.
        sink.essential(want & (squares < Real(1e300)), e);
    }
};

/// Calls sink.essential(want, e) for each essential matrix of five pairs, whose coordinates are
/// x1, y1, x2, y2, pair by pair.
template <class Team, class Sink>
TL_D void essentials_of(const Team& team, const typename Team::Real* pairs,
                        typename Team::Mask valid, EssentialStorage<typename Team::Real>& storage,
                        Sink& sink) {
    using Real = typename Team::Real;
    for (int i = 0; i < 5; ++i) {
        const Real x1 = pairs[4 * i], y1 = pairs[4 * i + 1];
        const Real x2 = pairs[4 * i + 2], y2 = pairs[4 * i + 3];
        Real* row = storage.rows + 9 * i;
        row[0] = x2 * x1;
        row[1] = x2 * y1;
        row[2] = x2;
        row[3] = y2 * x1;
        row[4] = y2 * y1;
        row[5] = y2;
        row[6] = x1;
        row[7] = y1;
        row[8] = Real(1.0);
    }
    null_space(storage.rows, storage.basis);
    EssentialSink<Team, Sink> essentials{storage.basis, sink};
    // One step mostly; more where the cameras have hardly moved.
    constexpr int kMostSteps = 10;
    minimal::solve<minimal::FivePoint>(team, storage.basis, valid, kMostSteps, storage.solver,
                                       essentials);
}

}  // namespace pose

TL_DEVICE_END
