// Distances of matches from a fundamental matrix, with the derivatives that refinement needs.
#pragma once

#include "solvers/pose/lanes.h"

TL_DEVICE_BEGIN

namespace pose {

/// Sampson's squared error (Sampson 1982) of matches x1, y1, x2, y2 under F, row by row.
template <class Real>
TL_D Real sampson_squared(const float* f, const Real* c) {
    Real a0 = Real(f[0]) * c[0] + (Real(f[1]) * c[1] + Real(f[2]));
    Real a1 = Real(f[3]) * c[0] + (Real(f[4]) * c[1] + Real(f[5]));
    Real a2 = Real(f[6]) * c[0] + (Real(f[7]) * c[1] + Real(f[8]));
    Real b0 = Real(f[0]) * c[2] + (Real(f[3]) * c[3] + Real(f[6]));
    Real b1 = Real(f[1]) * c[2] + (Real(f[4]) * c[3] + Real(f[7]));
    Real value = c[2] * a0 + (c[3] * a1 + a2);
    return value * value / (a0 * a0 + a1 * a1 + (b0 * b0 + b1 * b1));
}

/// F and its derivatives by the parameters of a model.
template <int kParameters>
struct EpipolarFrame {
    double f[9];
    double by[kParameters][9];
};

/// The residual r of matches c and, if requested, its derivatives j. The residual is the signed
/// distance, in the four coordinates together, to the nearest pair of points that fits F. It is
/// that of Sampson to first order, or with kExact exact (the correction of Lindstrom 2010,
/// whose derivatives are those of F at the nearest pair).
template <bool kExact, bool kDerivatives, int kParameters, class Real>
TL_D void epipolar_residual(const EpipolarFrame<kParameters>& frame, const Real* c, Real* r,
                            Real* j) {
    const double* f = frame.f;
    Real p[4] = {c[0], c[1], c[2], c[3]}, n[4], a[2], b[2];
    Real value, squares;
    constexpr int kCorrections = kExact ? 2 : 0;
    for (int pass = 0;; ++pass) {
        a[0] = Real(f[0]) * p[0] + (Real(f[1]) * p[1] + Real(f[2]));
        a[1] = Real(f[3]) * p[0] + (Real(f[4]) * p[1] + Real(f[5]));
        b[0] = Real(f[0]) * p[2] + (Real(f[3]) * p[3] + Real(f[6]));
        b[1] = Real(f[1]) * p[2] + (Real(f[4]) * p[3] + Real(f[7]));
        n[0] = b[0];
        n[1] = b[1];
        n[2] = a[0];
        n[3] = a[1];
        value =
            p[2] * a[0] + (p[3] * a[1] + (Real(f[6]) * p[0] + (Real(f[7]) * p[1] + Real(f[8]))));
        squares = n[0] * n[0] + n[1] * n[1] + (n[2] * n[2] + n[3] * n[3]);
        if constexpr (kExact)
            for (int k = 0; k < 4; ++k) value += n[k] * (c[k] - p[k]);
        if (pass == kCorrections) break;
        Real share = value / squares;
        for (int k = 0; k < 4; ++k) p[k] = c[k] - n[k] * share;
    }
    Real inverse = Real(1.0) / eigen::square_root(squares);
    r[0] = value * inverse;
    if constexpr (kDerivatives) {
        // Derivatives by the elements of F; the length of n changes with F only where p is
        // fixed.
        Real share = kExact ? Real(0.0) : value * (inverse * inverse);
        const Real first[3] = {p[0], p[1], Real(1.0)}, second[3] = {p[2], p[3], Real(1.0)};
        Real by_f[9];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                Real turned(0.0);
                if (i < 2) turned += a[i] * first[k];
                if (k < 2) turned += b[k] * second[i];
                by_f[3 * i + k] = (second[i] * first[k] - share * turned) * inverse;
            }
        for (int q = 0; q < kParameters; ++q) {
            j[q] = Real(0.0);
            for (int k = 0; k < 9; ++k) j[q] += Real(frame.by[q][k]) * by_f[k];
        }
    }
}

}  // namespace pose

TL_DEVICE_END
