// The absolute pose of a calibrated view from three points (P3P) in closed form. The depths are the
// intersections of two conics, found by a degenerate conic of their pencil, a pair of lines
// (Persson and Nordberg 2018, "Lambda twist"; Ding et al. 2023, "Revisiting the P3P problem").
#pragma once

#include "solvers/pose/camera_pose.h"

namespace tl::motion {

/// A real root of x^3 + b x^2 + c x + d, the largest one.
TL_HD inline double largest_root(double b, double c, double d) {
    double shift = b / 3, p = c - b * shift, q = 2 * shift * shift * shift - shift * c + d;
    double half = q / 2, third = p / 3, square = half * half + third * third * third;
    double x;
    if (square < 0) {
        double root = sqrt(-third), cosine = -half / (root * root * root);
        x = 2 * root * cos(acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) / 3);
    } else {
        double u = cbrt(-half - copysign(sqrt(square), half));
        x = u == 0 ? 0 : u - third / u;
    }
    x -= shift;
    for (int i = 0; i < 2; ++i) {
        double slope = (3 * x + 2 * b) * x + c, step = (((x + b) * x + c) * x + d) / slope;
        if (fabs(step) < 1 + fabs(x)) x -= step;
    }
    return x;
}

/// A symmetric 3 x 3 matrix.
struct Symmetric3 {
    double xx, xy, xz, yy, yz, zz;

    /// a' M b.
    [[nodiscard]] TL_HD double form(const double* a, const double* b) const {
        return a[0] * (xx * b[0] + xy * b[1] + xz * b[2]) +
               a[1] * (xy * b[0] + yy * b[1] + yz * b[2]) +
               a[2] * (xz * b[0] + yz * b[1] + zz * b[2]);
    }
    [[nodiscard]] TL_HD double determinant() const {
        return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    }
    [[nodiscard]] TL_HD Symmetric3 adjugate() const {
        return {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy,
                xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy};
    }
    /// The trace of M N.
    [[nodiscard]] TL_HD double product_trace(const Symmetric3& n) const {
        return xx * n.xx + yy * n.yy + zz * n.zz + 2 * (xy * n.xy + xz * n.xz + yz * n.yz);
    }
    /// M + f N.
    [[nodiscard]] TL_HD Symmetric3 plus(double f, const Symmetric3& n) const {
        return {xx + f * n.xx, xy + f * n.xy, xz + f * n.xz,
                yy + f * n.yy, yz + f * n.yz, zz + f * n.zz};
    }
};

/// The lines of a degenerate conic: lines[0] x = 0 or lines[1] x = 0 on it. False where they are
/// not real.
TL_HD inline bool split_conic(const Symmetric3& conic, double (*lines)[3]) {
    auto adjugate = conic.adjugate();
    const double b[9] = {adjugate.xx, adjugate.xy, adjugate.xz, adjugate.xy, adjugate.yy,
                         adjugate.yz, adjugate.xz, adjugate.yz, adjugate.zz};
    int i = 0;
    for (int k = 1; k < 3; ++k)
        if (fabs(b[4 * k]) > fabs(b[4 * i])) i = k;
    if (b[4 * i] > 0) return false;
    // The intersection of the lines, scaled so that the conic and its cross product add up to a
    // matrix of rank 1.
    double root = sqrt(-b[4 * i]), inverse = root > 0 ? 1 / root : 0;
    double x = b[i] * inverse, y = b[3 + i] * inverse, z = b[6 + i] * inverse;
    const double m[9] = {conic.xx,     conic.xy - z, conic.xz + y, conic.xy + z, conic.yy,
                         conic.yz - x, conic.xz - y, conic.yz + x, conic.zz};
    int largest = 0;
    for (int k = 1; k < 9; ++k)
        if (fabs(m[k]) > fabs(m[largest])) largest = k;
    if (m[largest] == 0) return false;
    for (int k = 0; k < 3; ++k) {
        lines[0][k] = m[largest / 3 * 3 + k];
        lines[1][k] = m[largest % 3 + 3 * k];
    }
    return true;
}

/// Calls found(pose) for up to four poses, whose focal length is 1, of three points: `matches` has
/// x, y, X, Y, Z of each, of which (x, y, 1) is the direction to the point. Points in one line have
/// none.
template <class Found>
TL_HD void three_point(const double* matches, const Found& found) {
    double y[9];  // unit directions
    const double* points[3];
    for (int i = 0; i < 3; ++i) {
        double* direction = y + 3 * i;
        direction[0] = matches[5 * i];
        direction[1] = matches[5 * i + 1];
        direction[2] = 1;
        normalise(direction);
        points[i] = matches + 5 * i + 2;
    }
    double d12[3], d13[3], d23[3];
    for (int k = 0; k < 3; ++k) {
        d12[k] = points[0][k] - points[1][k];
        d13[k] = points[0][k] - points[2][k];
        d23[k] = points[1][k] - points[2][k];
    }
    double normal[3];
    cross(d12, d13, normal);
    double scale = dot(d12, d12) + dot(d13, d13) + dot(d23, d23);
    if (!(dot(normal, normal) > 1e-20 * scale * scale)) return;
    const double a12 = dot(d12, d12) / scale, a13 = dot(d13, d13) / scale,
                 a23 = dot(d23, d23) / scale;
    const double c12 = dot(y, y + 3), c13 = dot(y, y + 6), c23 = dot(y + 3, y + 6);
    // Depths l, in units of sqrt(scale): l' M12 l = a12, l' M13 l = a13, l' M23 l = a23.
    const Symmetric3 m12{1, -c12, 0, 1, 0, 0}, m13{1, 0, -c13, 0, 0, 1}, m23{0, 0, 0, 1, -c23, 1};
    const Symmetric3 none{0, 0, 0, 0, 0, 0};
    auto first = none.plus(a23, m12).plus(-a12, m23), second = none.plus(a23, m13).plus(-a13, m23);
    // det(first + g second) is a cubic in g.
    double leading = second.determinant();
    bool turned = fabs(leading) < fabs(first.determinant());
    if (turned) {
        auto other = first;
        first = second;
        second = other;
        leading = second.determinant();
    }
    if (leading == 0) return;
    double g = largest_root(first.product_trace(second.adjugate()) / leading,
                            second.product_trace(first.adjugate()) / leading,
                            first.determinant() / leading);
    double lines[2][3];
    if (!split_conic(first.plus(g, second), lines)) return;
    const auto sum = m12.plus(1, m13).plus(1, m23);
    for (auto& line : lines) {
        // Points u + s v of the line, where they are on the conic `second`.
        double u[3], v[3];
        normalise(line);
        tangents(line, u, v);
        double a = second.form(v, v), b = second.form(u, v), c = second.form(u, u);
        double square = b * b - a * c;
        if (square < 0) {
            // A double root that rounding has parted is one.
            if (square < -1e-12 * (b * b + fabs(a * c))) continue;
            square = 0;
        }
        double q = -(b + copysign(sqrt(square), b));
        const double s[2][2] = {{a, q}, {q, c}};  // v's share over u's, two roots
        for (auto& root : s) {
            double l[3], squares = 0;
            for (int k = 0; k < 3; ++k) {
                l[k] = root[0] * u[k] + root[1] * v[k];
                squares += l[k] * l[k];
            }
            if (!(squares > 0)) continue;
            double size = sum.form(l, l);
            if (!(size > 0)) continue;
            double factor = copysign(1 / sqrt(size), l[0] + l[1] + l[2]);
            for (double& depth : l) depth *= factor;
            if (!(l[0] > 0 && l[1] > 0 && l[2] > 0)) continue;
            // Steps of Newton on the three distances.
            for (int step = 0; step < 2; ++step) {
                const double f[3] = {m12.form(l, l) - a12, m13.form(l, l) - a13,
                                     m23.form(l, l) - a23};
                // Half the derivatives have the rows (p, q, 0), (r, 0, s), (0, t, w).
                const double p = l[0] - c12 * l[1], q2 = l[1] - c12 * l[0], r = l[0] - c13 * l[2],
                             s2 = l[2] - c13 * l[0], t = l[1] - c23 * l[2], w = l[2] - c23 * l[1];
                double det = -2 * (p * s2 * t + q2 * r * w);
                if (det == 0) break;
                double inverse = 1 / det;
                l[0] -= inverse * (-s2 * t * f[0] - q2 * w * f[1] + q2 * s2 * f[2]);
                l[1] -= inverse * (-r * w * f[0] + p * w * f[1] - p * s2 * f[2]);
                l[2] -= inverse * (r * t * f[0] - p * t * f[1] - q2 * r * f[2]);
            }
            // R turns the points' differences and their normal to those of the depths.
            double length = sqrt(scale), seen[9], e12[3], e13[3], facing[3];
            for (int i = 0; i < 9; ++i) seen[i] = y[i] * l[i / 3] * length;
            for (int k = 0; k < 3; ++k) {
                e12[k] = seen[k] - seen[3 + k];
                e13[k] = seen[k] - seen[6 + k];
            }
            cross(e12, e13, facing);
            // The inverse of the matrix with columns d12, d13, normal has the rows d13 x normal,
            // normal x d12 and normal, over normal^2.
            double rows[9], inverse = 1 / dot(normal, normal);
            cross(d13, normal, rows);
            cross(normal, d12, rows + 3);
            CameraPose pose;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    pose.rotation[3 * i + j] =
                        (e12[i] * rows[j] + e13[i] * rows[3 + j] + facing[i] * normal[j]) * inverse;
            orthonormalise(pose.rotation);
            double at[3];
            rotate(pose.rotation, points[0], at);
            for (int k = 0; k < 3; ++k) pose.translation[k] = seen[k] - at[k];
            found(pose);
        }
    }
}

}  // namespace tl::motion
