// Expansions of the winding numbers of subtrees (Barill et al. 2018, "Fast Winding Numbers for
// Soups and Clouds", with the moments of whole triangles), and their evaluation.
#pragma once

#include "accel/box.h"
#include "core/base/inverse_root.h"
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
/// the unit normal and d the offset from the centre. Only for a tree's construction.
struct alignas(16) WindingMoments {
    vec3 center;                ///< mean of the triangles' centroids, weighted by area
    float radius;               ///< of a ball about the centre that contains the triangles
    vec3 normal;                ///< of n
    float area;                 ///< sum of areas
    vec3 first[3];              ///< of n_j d
    SymmetricMatrix second[3];  ///< of n_j d d^T
    float boundary;             ///< length of the mesh's boundary, as of WindingNode
};
static_assert(sizeof(WindingMoments) == 144);

/// Coefficients of the Taylor series of a node's solid angle about its centre. Let r be the vector
/// from a point to the centre, i = 1 / |r| and u = i r. The point sees the solid angle
/// i^2 (normal u + i (trace + square(u) + i (linear u + cubic(u)))).
struct alignas(16) WindingNode {
    vec3 center;
    float radius;
    vec3 normal;
    float trace;     ///< of the first moments
    vec3 linear;     ///< -3 sum_j second[j] e_j - 3/2 sum_j trace(second[j]) e_j
    float boundary;  ///< length of the node's boundary edges times their weights (mesh_boundary.h)
    SymmetricMatrix square;  ///< -3 times the symmetric part of the first moments
    float cubic[10];         ///< 15/2 times those of xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz
};
static_assert(sizeof(WindingNode) == 112);

}  // namespace tl

TL_DEVICE_BEGIN

/// Returns the series of a node's moments.
TL_HD inline WindingNode series_of(const WindingMoments& m) {
    WindingNode node{};
    node.center = m.center;
    node.radius = m.radius;
    node.normal = m.normal;
    node.boundary = m.boundary;
    node.trace = m.first[0].x + m.first[1].y + m.first[2].z;
    const SymmetricMatrix& x = m.second[0];
    const SymmetricMatrix& y = m.second[1];
    const SymmetricMatrix& z = m.second[2];
    node.linear = -3.0f * vec3(x.xx + y.xy + z.xz, x.xy + y.yy + z.yz, x.xz + y.yz + z.zz) -
                  1.5f * vec3(x.trace(), y.trace(), z.trace());
    for (int j = 0; j < 3; ++j) {
        vec3 axis(0);
        axis[j] = 1;
        node.square.add_outer(-3, m.first[j], axis);
    }
    const float cubic[10] = {x.xx,
                             y.yy,
                             z.zz,
                             2 * x.xy + y.xx,
                             2 * x.xz + z.xx,
                             2 * y.xy + x.yy,
                             2 * y.yz + z.yy,
                             2 * z.xz + x.zz,
                             2 * z.yz + y.zz,
                             2 * (x.yz + y.xz + z.xy)};
    for (int k = 0; k < 10; ++k) node.cubic[k] = 7.5f * cubic[k];
    return node;
}

/// Returns the solid angle of a node's triangles about `p`, divided by 4 pi.
TL_HD inline float far_winding_number(const WindingNode& node, vec3 p) {
    const vec3 offset = node.center - p;
    const float inverse = inverse_root(glm::dot(offset, offset));
    // Has length 1: powers of offsets would overflow in scenes as large as 1e6.
    const vec3 r = inverse * offset;
    const float xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
    const SymmetricMatrix& q = node.square;
    float square = xx * q.xx + yy * q.yy + zz * q.zz +
                   2 * (r.x * (r.y * q.xy + r.z * q.xz) + r.y * r.z * q.yz);
    const float* c = node.cubic;
    float cubic = xx * (r.x * c[0] + r.y * c[3] + r.z * c[4]) +
                  yy * (r.y * c[1] + r.x * c[5] + r.z * c[6]) +
                  zz * (r.z * c[2] + r.x * c[7] + r.y * c[8]) + r.x * r.y * r.z * c[9];
    float sum = glm::dot(node.normal, r) +
                inverse * (node.trace + square + inverse * (glm::dot(node.linear, r) + cubic));
    return sum * inverse * inverse * (0.25f / kPi);
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
        // Over the product of the lengths, which may be large or small. No vertex is the point
        // itself, where there is a volume.
        const float ia = inverse_root(glm::dot(a, a)), ib = inverse_root(glm::dot(b, b)),
                    ic = inverse_root(glm::dot(c, c));
        const float volume = determinant * ia * (ib * ic);
        const float divisor = 1 + glm::dot(a, b) * (ia * ib) + glm::dot(b, c) * (ib * ic) +
                              glm::dot(c, a) * (ic * ia);
        const float scale = inverse_root(volume * volume + divisor * divisor);
        if (!(scale < kInfinity)) return;  // so small that a square is 0
        const float x = divisor * scale, y = volume * scale;
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
