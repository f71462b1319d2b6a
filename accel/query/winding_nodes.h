// Expansions of the winding numbers of subtrees (Barill et al. 2018, "Fast Winding Numbers for
// Soups and Clouds", with the moments of whole triangles), and their evaluation.
#pragma once

#include "accel/box.h"
#include "core/device/array.h"

namespace tl {

/// A symmetric 3 x 3 matrix.
struct SymmetricMatrix {
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    /// Adds scale * (a b^T + b a^T) / 2.
    TL_HD void add_outer(float scale, vec3 a, vec3 b) {
        xx += scale * a.x * b.x;
        yy += scale * a.y * b.y;
        zz += scale * a.z * b.z;
        xy += 0.5f * scale * (a.x * b.y + a.y * b.x);
        xz += 0.5f * scale * (a.x * b.z + a.z * b.x);
        yz += 0.5f * scale * (a.y * b.z + a.z * b.y);
    }
    TL_HD void add(float scale, const SymmetricMatrix& m) {
        xx += scale * m.xx;
        yy += scale * m.yy;
        zz += scale * m.zz;
        xy += scale * m.xy;
        xz += scale * m.xz;
        yz += scale * m.yz;
    }
    [[nodiscard]] TL_HD float trace() const { return xx + yy + zz; }
    [[nodiscard]] TL_HD vec3 times(vec3 v) const {
        return vec3(xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                    xz * v.x + yz * v.y + zz * v.z);
    }
};

/// Moments of the triangles of a node about its centre: integrals over their surfaces, where n is
/// the unit normal and d the offset from the centre.
struct alignas(16) WindingNode {
    vec3 center;                ///< mean of the triangles' centroids, weighted by area
    float radius;               ///< of a ball about the centre that contains the triangles
    vec3 normal;                ///< of n
    float area;                 ///< sum of areas
    vec3 first[3];              ///< of n_j d
    SymmetricMatrix second[3];  ///< of n_j d d^T
    float unused;
};
static_assert(sizeof(WindingNode) == 144);

}  // namespace tl

TL_DEVICE_BEGIN

/// Returns the solid angle of a node's triangles about `p`, divided by 4 pi: the Taylor series of
/// the integral of (x - p) n / |x - p|^3 about the centre, to its third term.
TL_HD inline float far_winding_number(const WindingNode& node, vec3 p) {
    const vec3 r = node.center - p;
    const float inverse_square = 1 / glm::dot(r, r);
    float first_trace = 0, second_divergence = 0;
    vec3 first_r(0);
    SymmetricMatrix second_r;
    for (int j = 0; j < 3; ++j) {
        first_trace += node.first[j][j];
        first_r += r[j] * node.first[j];
        second_r.add(r[j], node.second[j]);
        second_divergence += node.second[j].times(r)[j];
    }
    float zeroth = glm::dot(node.normal, r);
    float first = first_trace - 3 * inverse_square * glm::dot(r, first_r);
    float second = inverse_square * (-3 * second_divergence - 1.5f * second_r.trace() +
                                     7.5f * inverse_square * glm::dot(r, second_r.times(r)));
    return (zeroth + first + second) * inverse_square * sqrtf(inverse_square) * (0.25f / kPi);
}

/// Sums solid angles of triangles about a point (van Oosterom and Strackee 1983). Half of an angle
/// is the argument of a complex number; their product has the sum as argument, up to whole turns,
/// which are counted. So only the sum needs an arc tangent.
struct SolidAngles {
    float real = 1, imaginary = 0;  ///< product, of about length 1
    int turns = 0;

    /// Adds the triangle a, b, c, relative to the point. Positive if the point sees it from behind
    /// its counter-clockwise side.
    TL_HD void add(vec3 a, vec3 b, vec3 c) {
        float determinant = glm::dot(a, glm::cross(b, c));
        if (determinant == 0) return;
        float la = sqrtf(glm::dot(a, a)), lb = sqrtf(glm::dot(b, b)), lc = sqrtf(glm::dot(c, c));
        float divisor =
            la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
        float scale = 1 / sqrtf(determinant * determinant + divisor * divisor);
        float x = divisor * scale, y = determinant * scale;
        if (!(scale < kInfinity)) return;  // of triangles so small that nothing is left of it
        float next_real = real * x - imaginary * y, next = real * y + imaginary * x;
        if (imaginary >= 0 && y >= 0 && next < 0) ++turns;
        if (imaginary < 0 && y < 0 && next >= 0) --turns;
        real = next_real;
        imaginary = next;
    }
    /// The sum, divided by 4 pi.
    [[nodiscard]] TL_HD float winding_number() const {
        return static_cast<float>(turns) + atan2f(imaginary, real) * (0.5f / kPi);
    }
};

TL_DEVICE_END
