// Null spaces of small full-rank matrices with fewer rows than columns, for one matrix or one in
// each lane of a pack, by Householder's reflectors of the transpose.
#pragma once

#include "solvers/eigen/lane_math.h"

TL_DEVICE_BEGIN

namespace pose {

/// The kColumns - kRows vectors that are orthogonal to the rows of `a` (kRows x kColumns),
/// orthonormal, one after the other; `a` is overwritten. Returns the least distance of a row from
/// the span of the rows before it, which is 0 where the rank is deficient.
template <int kRows, int kColumns, class Real>
TL_D Real null_space(Real* a, Real* basis) {
    constexpr int kBasis = kColumns - kRows;
    Real factors[kRows], least(1e300);
    for (int k = 0; k < kRows; ++k) {
        Real* v = a + k * kColumns;
        Real squares(0.0);
        for (int j = k; j < kColumns; ++j) squares += v[j] * v[j];
        Real length = eigen::square_root(squares);
        auto there = length > Real(0.0);
        least = eigen::select(length < least, length, least);
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
    return least;
}

/// The row of x2' F x1 = 0 that a pair of points (x1, y1, x2, y2) gives for the elements of F, row
/// by row.
template <class Real>
TL_D void epipolar_row(const Real* pair, Real* row) {
    const Real x1 = pair[0], y1 = pair[1], x2 = pair[2], y2 = pair[3];
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

/// Scratch memory of problems of kPairs pairs of points. Solver: the scratch memory of their
/// solver.
template <int kPairs, class Solver, class Real>
struct EpipolarStorage {
    Real rows[kPairs * 9];
    Real basis[(9 - kPairs) * 9];  ///< matrices that fit the pairs, one after the other
    Solver solver;
};
/// Fills storage.basis for pairs x1, y1, x2, y2, one after the other. Returns the least distance
/// that null_space() does.
template <int kPairs, class Solver, class Real>
TL_D Real find_basis(const Real* pairs, EpipolarStorage<kPairs, Solver, Real>& storage) {
    for (int i = 0; i < kPairs; ++i) epipolar_row(pairs + 4 * i, storage.rows + 9 * i);
    return null_space<kPairs, 9>(storage.rows, storage.basis);
}

}  // namespace pose

TL_DEVICE_END
