// The slab test of a ray against boxes, fast or robust.
#pragma once

#include "accel/primitives.h"

TL_DEVICE_BEGIN

/// A component of a ray's direction that no slab test multiplies infinity with zero by.
TL_HD inline float safe_inverse(float d) {
    return 1.0f / (fabsf(d) > 1e-20f ? d : copysignf(1e-20f, d));
}

/// Whether the ray's origin and direction are finite. Others meet nothing; the slab test, whose
/// minima pass over NaN, would let them into every box.
TL_HD inline bool is_finite(const Ray& ray) {
    vec3 sum = ray.origin * 0.0f + ray.direction * 0.0f;
    return sum.x + sum.y + sum.z == 0;
}

/// kRobust: differences are taken before the product and the exit is widened by a few units in the
/// last place, so that rounding never loses a box (Ize 2013, "Robust BVH ray traversal"). Otherwise
/// each plane costs one fused multiply-add, and a box that a ray only grazes may be missed.
template <bool kRobust>
struct SlabRay {
    vec3 origin;  ///< fast: times the inverse direction, negated
    vec3 inverse_direction;

    TL_HD explicit SlabRay(const Ray& ray)
        : inverse_direction(safe_inverse(ray.direction.x), safe_inverse(ray.direction.y),
                            safe_inverse(ray.direction.z)) {
        origin = kRobust ? ray.origin : -ray.origin * inverse_direction;
    }
    TL_HD vec3 planes(vec3 p) const {
        if (kRobust) return (p - origin) * inverse_direction;
        return vec3(fmaf(p.x, inverse_direction.x, origin.x),
                    fmaf(p.y, inverse_direction.y, origin.y),
                    fmaf(p.z, inverse_direction.z, origin.z));
    }
    /// Whether the ray meets the box within [t_min, t_max]; `entry` is where.
    TL_HD bool meets(vec3 lo, vec3 hi, float t_min, float t_max, float& entry) const {
        vec3 a = planes(lo), b = planes(hi);
        entry = maximum(maximum(minimum(a.x, b.x), minimum(a.y, b.y)),
                        maximum(minimum(a.z, b.z), t_min));
        float exit = minimum(minimum(maximum(a.x, b.x), maximum(a.y, b.y)), maximum(a.z, b.z));
        return entry <= minimum(kRobust ? exit * 1.0000004f : exit, t_max);
    }
};

TL_DEVICE_END
