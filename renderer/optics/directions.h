// Maps from pairs of numbers in [0, 1) to points of a disk and directions of a hemisphere, and
// bases around a direction.
#pragma once

#include "core/base/fused.h"
#include "core/base/math.h"

namespace tl {

/// Cosine and sine of the angle `half_turns` times pi, as a point of the unit circle. The error is
/// at most 2 ulps, with the same bits on CPU and GPU. Unlike cosf and sinf it needs no range
/// reduction for large angles.
TL_HD inline vec2 point_of_circle(float half_turns) {
    float quarter = rintf(2 * half_turns);
    float r = fmaf(-0.5f, quarter, half_turns), s = product(r, r);  // at most 1/4
    float sine = fmaf(s, fmaf(s, -0.58941877f, 2.5498052f), -5.1677089f);
    sine = fmaf(product(r, s), sine, product(kPi, r));
    float cosine = fmaf(s, fmaf(s, fmaf(s, 0.23142953f, -1.3350585f), 4.0587077f), -4.934802f);
    cosine = fmaf(s, cosine, 1.0f);
    auto turns = static_cast<std::int32_t>(quarter);
    vec2 point = turns & 1 ? vec2(-sine, cosine) : vec2(cosine, sine);
    return turns & 2 ? -point : point;
}

/// Maps the unit square to the unit disk, preserving relative areas and adjacency (Shirley & Chiu
/// 1997, "A low distortion map between disk and square").
TL_HD inline vec2 concentric_disk(float r1, float r2) {
    float a = 2 * r1 - 1, b = 2 * r2 - 1;
    if (a == 0 && b == 0) return vec2(0);
    bool flat = fabsf(a) > fabsf(b);
    float radius = flat ? a : b;
    float half_turns = flat ? 0.25f * (b / a) : 0.5f - 0.25f * (a / b);
    return radius * point_of_circle(half_turns);
}

/// Two unit vectors that are perpendicular to unit `n` and to each other (Duff et al. 2017,
/// "Building an orthonormal basis, revisited").
TL_HD inline void basis_of(vec3 n, vec3& a, vec3& b) {
    float sign = copysignf(1.0f, n.z);
    float s = -1 / (sign + n.z), t = n.x * n.y * s;
    a = vec3(1 + sign * n.x * n.x * s, sign * t, -sign * n.x);
    b = vec3(t, sign + n.y * n.y * s, -n.y);
}

/// The frame of a surface whose unit normal is z.
struct NormalFrame {
    vec3 x, y, z;

    TL_HD explicit NormalFrame(vec3 normal) : z(normal) { basis_of(normal, x, y); }
    [[nodiscard]] TL_HD vec3 local(vec3 v) const {
        return {fused_dot(v, x), fused_dot(v, y), fused_dot(v, z)};
    }
    [[nodiscard]] TL_HD vec3 world(vec3 v) const { return fused_mean(v.x, x, v.y, y, v.z, z); }
};

/// Maps r in [0, 1)^2 to a unit direction around `normal` with density cosine / pi.
TL_HD inline vec3 cosine_direction(vec3 normal, vec2 r) {
    vec2 disk = concentric_disk(r.x, r.y);
    float height = sqrtf(maximum(0.0f, 1 - disk.x * disk.x - disk.y * disk.y));
    return fused_unit(NormalFrame(normal).world({disk, height}));
}

}  // namespace tl
