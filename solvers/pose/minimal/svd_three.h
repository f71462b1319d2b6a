// Singular value decomposition of a 3 x 3 matrix by one-sided Jacobi rotations (Hestenes 1958).
#pragma once

#include "solvers/pose/camera_pose.h"

namespace tl::motion {

/// A = sum of values[k] left_k right_k', values descending. The vectors are orthonormal, one after
/// the other.
struct SvdThree {
    double left[9], values[3], right[9];
};

/// Rotates the vectors p and q of `a` so that they become orthogonal, and those of `v` with them.
/// False where they are orthogonal already.
TL_HD inline bool rotate_pair(double* a, double* v, int p, int q) {
    double *first = a + 3 * p, *second = a + 3 * q;
    double squares = dot(first, first), others = dot(second, second), mixed = dot(first, second);
    if (!(mixed * mixed > 1e-31 * squares * others)) return false;
    double zeta = (others - squares) / (2 * mixed);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t), s = c * t;
    double* const both[2] = {a, v};
    for (double* of : both)
        for (int k = 0; k < 3; ++k) {
            double x = of[3 * p + k], y = of[3 * q + k];
            of[3 * p + k] = c * x - s * y;
            of[3 * q + k] = s * x + c * y;
        }
    return true;
}

/// Decomposes a matrix of rank 2 or 3, given row by row.
TL_HD inline SvdThree svd_three(const double* matrix) {
    SvdThree d;
    double a[9], v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) a[3 * k + i] = matrix[3 * i + k];
    constexpr int kMostSweeps = 12;
    bool rotated = true;
    for (int sweep = 0; sweep < kMostSweeps && rotated; ++sweep) {
        rotated = rotate_pair(a, v, 0, 1);
        rotated = rotate_pair(a, v, 0, 2) || rotated;
        rotated = rotate_pair(a, v, 1, 2) || rotated;
    }
    int order[3] = {0, 1, 2};
    double squares[3];
    for (int k = 0; k < 3; ++k) squares[k] = dot(a + 3 * k, a + 3 * k);
    constexpr int kExchanges[3] = {0, 1, 0};
    for (int k : kExchanges)
        if (squares[order[k]] < squares[order[k + 1]]) {
            int other = order[k];
            order[k] = order[k + 1];
            order[k + 1] = other;
        }
    for (int k = 0; k < 3; ++k) {
        d.values[k] = sqrt(squares[order[k]]);
        for (int i = 0; i < 3; ++i) {
            d.left[3 * k + i] = a[3 * order[k] + i];
            d.right[3 * k + i] = v[3 * order[k] + i];
        }
    }
    // The third vector is orthogonal to the others whatever rounding has left of it.
    orthonormalise(d.left);
    if (dot(d.left + 6, a + 3 * order[2]) < 0)
        for (int i = 0; i < 3; ++i) d.left[6 + i] = -d.left[6 + i];
    return d;
}

}  // namespace tl::motion
