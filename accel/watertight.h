// Watertight ray-triangle intersection: Woop, Benthin & Wald 2013, "Watertight ray/triangle
// intersection". Vertices are sheared into a space where the ray is the z axis; the ray's side of
// each edge depends only on its two sheared vertices, so both triangles that share an edge agree.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/macros.h"
#include "core/base/math.h"

TL_DEVICE_BEGIN

/// ax * by - ay * bx with the correct sign: reversing the edge always reverses the sign. The
/// products are not fused with the subtraction, which would round them differently. Zero only where
/// the exact value is.
TL_HD inline float edge_side(float ax, float ay, float bx, float by) {
#if defined(__CUDA_ARCH__)
    // A difference of zero may be due to rounding; in double both products are exact.
    float side = __fsub_rn(__fmul_rn(ax, by), __fmul_rn(ay, bx));
    if (side != 0) return side;
#endif
    // On the host doubles are as fast as floats.
    double exact = static_cast<double>(ax) * by - static_cast<double>(ay) * bx;
    auto rounded = static_cast<float>(exact);
    if (rounded != 0 || exact == 0) return rounded;
    return exact > 0 ? 1e-45f : -1e-45f;
}

/// A ray and the shear and scale that map it onto the z axis.
struct ShearedRay {
    vec3 origin;
    int z_axis;  ///< the largest component of the direction
    float shear_x, shear_y, scale_z;

    TL_HD ShearedRay(vec3 origin, vec3 direction) : origin(origin) {
        vec3 size(fabsf(direction.x), fabsf(direction.y), fabsf(direction.z));
        z_axis = size.z >= size.x && size.z >= size.y ? 2 : size.y >= size.x ? 1 : 0;
        vec3 d = turned(direction);
        scale_z = 1 / d.z;
        shear_x = d.x * scale_z;
        shear_y = d.y * scale_z;
    }
    /// Rotates the axes so that z_axis comes last.
    [[nodiscard]] TL_HD vec3 turned(vec3 p) const {
        if (z_axis == 2) return p;
        return z_axis == 1 ? vec3(p.z, p.x, p.y) : vec3(p.y, p.z, p.x);
    }
    /// A vertex in the ray's space. Fused operations are explicit, so that a vertex shared by
    /// several triangles is rounded in the same way for each.
    [[nodiscard]] TL_HD vec3 sheared(vec3 vertex) const {
        vec3 p = turned(vertex - origin);
        return vec3(fmaf(-shear_x, p.z, p.x), fmaf(-shear_y, p.z, p.y), scale_z * p.z);
    }
    /// Both sides count; t in (t_min, t_max); u and v are barycentric weights of b and c.
    TL_HD bool meets(vec3 a, vec3 b, vec3 c, float t_min, float t_max, float& t, float& u,
                     float& v) const {
        a = sheared(a);
        b = sheared(b);
        c = sheared(c);
        float of_a = edge_side(c.x, c.y, b.x, b.y);
        float of_b = edge_side(a.x, a.y, c.x, c.y);
        float of_c = edge_side(b.x, b.y, a.x, a.y);
        bool any_negative = of_a < 0 || of_b < 0 || of_c < 0;
        bool any_positive = of_a > 0 || of_b > 0 || of_c > 0;
        if (any_negative && any_positive) return false;
        float determinant = of_a + of_b + of_c;
        if (determinant == 0) return false;
        float inverse = 1 / determinant;
        t = (of_a * a.z + of_b * b.z + of_c * c.z) * inverse;
        if (!(t > t_min && t < t_max)) return false;
        u = of_b * inverse;
        v = of_c * inverse;
        return true;
    }
};

TL_DEVICE_END
