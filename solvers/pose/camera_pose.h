// A camera's pose with its focal length, and small steps of it, in the working coordinates of the
// estimation.
#pragma once

#include <cmath>

#include "core/base/macros.h"

namespace tl {

/// Pose of a camera. A point X of the first camera or of the world is at R X + t in the view of the
/// camera, whose focal length is `focal`.
struct CameraPose {
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< R, row by row
    double translation[3] = {0, 0, 0};                 ///< t; of length 1 between two views
    double focal = 1;
};

namespace motion {

TL_HD inline void cross(const double* a, const double* b, double* result) {
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}
TL_HD inline double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// Scales to length 1; a vector of no length becomes (0, 0, 1).
TL_HD inline void normalise(double* a) {
    double length = sqrt(dot(a, a));
    if (!(length > 0)) {
        a[0] = a[1] = 0;
        a[2] = 1;
        return;
    }
    for (int i = 0; i < 3; ++i) a[i] /= length;
}
/// y = R x.
TL_HD inline void rotate(const double* r, const double* x, double* y) {
    for (int i = 0; i < 3; ++i) y[i] = dot(r + 3 * i, x);
}
TL_HD inline void multiply(const double* a, const double* b, double* result) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += a[3 * i + k] * b[3 * k + j];
            result[3 * i + j] = sum;
        }
}
/// [a]x M: the cross products of `a` with the columns of M.
TL_HD inline void cross_columns(const double* a, const double* m, double* result) {
    for (int j = 0; j < 3; ++j) {
        result[j] = a[1] * m[6 + j] - a[2] * m[3 + j];
        result[3 + j] = a[2] * m[j] - a[0] * m[6 + j];
        result[6 + j] = a[0] * m[3 + j] - a[1] * m[j];
    }
}
/// The nearest rows that are orthonormal and right-handed, one after the other.
TL_HD inline void orthonormalise(double* r) {
    normalise(r);
    double along = dot(r, r + 3);
    for (int i = 0; i < 3; ++i) r[3 + i] -= along * r[i];
    normalise(r + 3);
    cross(r, r + 3, r + 6);
}
/// R becomes exp([w]x) R (Rodrigues).
TL_HD inline void turn(double* r, const double* w) {
    double angle2 = dot(w, w), angle = sqrt(angle2);
    double a = angle > 1e-8 ? sin(angle) / angle : 1;
    double b = angle > 1e-8 ? (1 - cos(angle)) / angle2 : 0.5;
    const double once[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    double by[9], before[9];
    multiply(once, once, by);
    for (int i = 0; i < 9; ++i) {
        by[i] = a * once[i] + b * by[i] + (i % 4 == 0 ? 1 : 0);
        before[i] = r[i];
    }
    multiply(by, before, r);
    orthonormalise(r);
}
/// Two unit vectors that are orthogonal to the unit vector `t` and to each other.
TL_HD inline void tangents(const double* t, double* first, double* second) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(t[i]) < fabs(t[least])) least = i;
    double axis[3] = {0, 0, 0};
    axis[least] = 1;
    cross(t, axis, first);
    normalise(first);
    cross(t, first, second);
}
/// E = [t]x R.
TL_HD inline void essential_of(const CameraPose& pose, double* e) {
    cross_columns(pose.translation, pose.rotation, e);
}
/// Depths (d1, d2) of the point of two directions (x1, y1, 1) and (x2, y2, 1), with R x1 d1 + t
/// nearest to x2 d2. Both are positive where the point is in front of both cameras.
TL_HD inline void depths_of(const CameraPose& pose, const double* pair, double* depths) {
    const double x1[3] = {pair[0], pair[1], 1}, x2[3] = {pair[2], pair[3], 1};
    double turned[3], normal[3], with_t[3];
    rotate(pose.rotation, x1, turned);
    cross(turned, x2, normal);
    double squares = dot(normal, normal);
    cross(x2, pose.translation, with_t);
    depths[0] = dot(normal, with_t) / squares;
    cross(turned, pose.translation, with_t);
    depths[1] = dot(normal, with_t) / squares;
}

/// The four poses of an essential matrix of any length (Horn 1990, "Recovering baseline and
/// orientation from essential matrix"): `index` from 0 to 3 selects the sign of the translation and
/// the rotation.
TL_HD inline CameraPose pose_of_essential(const double* e, int index) {
    // The baseline is orthogonal to all columns: the longest of their cross products.
    double columns[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) columns[3 * j + i] = e[3 * i + j];
    double b[3] = {0, 0, 0}, longest = -1;
    for (int i = 0; i < 3; ++i) {
        double product[3];
        cross(columns + 3 * i, columns + 3 * ((i + 1) % 3), product);
        double squares = dot(product, product);
        if (!(squares > longest)) continue;
        longest = squares;
        for (int k = 0; k < 3; ++k) b[k] = product[k];
    }
    normalise(b);
    double squares = 0;
    for (int i = 0; i < 9; ++i) squares += e[i] * e[i];
    double length = sqrt(squares / 2);  // length of the translation in E = [t]x R
    for (double& x : b) x *= (index & 1 ? -1 : 1) * length;
    // |b|^2 R = cofactors(E) - [b]x E.
    CameraPose pose;
    double turned[9];
    cross_columns(b, e, turned);
    cross(e + 3, e + 6, pose.rotation);
    cross(e + 6, e, pose.rotation + 3);
    cross(e, e + 3, pose.rotation + 6);
    for (int i = 0; i < 9; ++i) pose.rotation[i] -= turned[i];
    orthonormalise(pose.rotation);
    for (int i = 0; i < 3; ++i) pose.translation[i] = b[i] / length * (index & 2 ? -1 : 1);
    return pose;
}

/// Returns the pose of an essential matrix, one of four, that has the most of `count` pairs, at
/// pair(i), in front of both cameras.
template <class Pairs>
TL_HD CameraPose pose_before_both(const double* e, int count, const Pairs& pair) {
    CameraPose best;
    int most = -1;
    for (int index = 0; index < 4; ++index) {
        CameraPose pose = pose_of_essential(e, index);
        int n_before = 0;
        for (int i = 0; i < count; ++i) {
            double own[4], depths[2];
            pair(i, own);
            depths_of(pose, own, depths);
            n_before += depths[0] > 0 && depths[1] > 0 ? 1 : 0;
        }
        if (n_before > most) {
            most = n_before;
            best = pose;
        }
    }
    return best;
}

}  // namespace motion
}  // namespace tl
