// The pose and the focal length of a view of four points in one plane, where the general solver has
// no solution: the plane's homography has both, since its first two columns are the images of two
// directions that are orthogonal and equally long (Hartley and Zisserman 2003, chapter 8.8).
#pragma once

#include "solvers/pose/camera_pose.h"

namespace tl::motion {

/// Finds the plane nearest to the vectors a, b, c: directions u and v in it, and its normal n.
/// False where they are all on one line, or farther from a plane than kFlat of their length.
TL_HD inline bool plane_axes(const double* a, const double* b, const double* c, double* u,
                             double* v, double* n) {
    constexpr double kFlat = 0.05;
    const double* of[3] = {a, b, c};
    double longest = 0, largest = 0;
    for (int i = 0; i < 3; ++i) {
        double product[3], squares = dot(of[i], of[i]);
        if (squares > longest) {
            longest = squares;
            for (int k = 0; k < 3; ++k) u[k] = of[i][k];
        }
        cross(of[i], of[(i + 1) % 3], product);
        squares = dot(product, product);
        if (squares > largest) {
            largest = squares;
            for (int k = 0; k < 3; ++k) n[k] = product[k];
        }
    }
    double product[3];
    cross(a, b, product);
    double volume = dot(product, c);
    if (!(volume * volume < kFlat * kFlat * largest * longest)) return false;
    normalise(n);
    double along = dot(u, n);
    for (int k = 0; k < 3; ++k) u[k] -= along * n[k];
    normalise(u);
    cross(n, u, v);
    return true;
}

/// The inverse of the matrix with the columns p0, p1 and p2 of (x, y, 1), times its determinant,
/// row by row.
TL_HD inline void adjugate_of_points(const double* points, double* result) {
    for (int k = 0; k < 3; ++k) {
        const double* p = points + 2 * ((k + 1) % 3);
        const double* q = points + 2 * ((k + 2) % 3);
        result[3 * k] = p[1] - q[1];
        result[3 * k + 1] = q[0] - p[0];
        result[3 * k + 2] = p[0] * q[1] - p[1] * q[0];
    }
}

/// The homography that moves four points (x, y) to four others, of any length, by its columns.
/// False where three of either are on a line.
TL_HD inline bool homography_of(const double* from, const double* to, double* columns) {
    double inverse[9], image[9], weights[3];
    adjugate_of_points(from, inverse);
    adjugate_of_points(to, image);
    const double fourth[3] = {from[6], from[7], 1}, moved[3] = {to[6], to[7], 1};
    for (int k = 0; k < 3; ++k) {
        double before = dot(inverse + 3 * k, fourth), after = dot(image + 3 * k, moved);
        if (!(before * before > 0 && after * after > 0)) return false;
        weights[k] = after / before;
    }
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            columns[3 * j + i] = 0;
            for (int k = 0; k < 3; ++k)
                columns[3 * j + i] += (i < 2 ? to[2 * k + i] : 1) * weights[k] * inverse[3 * k + j];
        }
    return true;
}

/// Calls found(pose) for the pose with its focal length that sees four points of a plane: `matches`
/// are x, y, X, Y, Z. No call for points far from one plane, nor where no focal length fits. The
/// focal length is arbitrary where the plane faces the camera.
template <class Found>
TL_HD void four_point_plane(const double* matches, const Found& found) {
    double away[9], u[3], v[3], n[3];
    const double* origin = matches + 2;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) away[3 * i + k] = matches[5 * (i + 1) + 2 + k] - origin[k];
    if (!plane_axes(away, away + 3, away + 6, u, v, n)) return;
    double in_plane[8] = {0, 0}, in_image[8], h[9];
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 2; ++k) {
            if (i > 0) in_plane[2 * i + k] = dot(k == 0 ? u : v, away + 3 * (i - 1));
            in_image[2 * i + k] = matches[5 * i + k];
        }
    if (!homography_of(in_plane, in_image, h)) return;
    // w a + b = 0 for w = 1 / f^2: the columns are orthogonal, and equally long.
    const double a[2] = {2 * (h[0] * h[3] + h[1] * h[4]),
                         h[0] * h[0] + h[1] * h[1] - h[3] * h[3] - h[4] * h[4]};
    const double b[2] = {2 * h[2] * h[5], h[2] * h[2] - h[5] * h[5]};
    double w = -(a[0] * b[0] + a[1] * b[1]) / (a[0] * a[0] + a[1] * a[1]);
    if (!(w > 0 && w < 1e300)) return;
    CameraPose pose;
    pose.focal = 1 / sqrt(w);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 2; ++i) h[3 * j + i] /= pose.focal;
    double scale = 2 / (sqrt(dot(h, h)) + sqrt(dot(h + 3, h + 3)));
    // The points are before the camera.
    if (h[8] < 0) scale = -scale;
    for (double& x : h) x *= scale;
    double axes[9];
    for (int i = 0; i < 6; ++i) axes[i] = h[i];
    orthonormalise(axes);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            pose.rotation[3 * i + k] = axes[i] * u[k] + axes[3 + i] * v[k] + axes[6 + i] * n[k];
    double turned[3];
    rotate(pose.rotation, origin, turned);
    for (int i = 0; i < 3; ++i) pose.translation[i] = h[6 + i] - turned[i];
    found(pose);
}

}  // namespace tl::motion
