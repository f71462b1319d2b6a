// Slab test of a ray against boxes, in a fast and a robust version.
#pragma once

#include <cfloat>

#include "accel/primitives.h"

TL_DEVICE_BEGIN

/// Returns the inverse of a direction component, bounded so that no slab test computes infinity
/// times zero.
TL_HD inline float safe_inverse(float d) {
    return 1.0f / (fabsf(d) > 1e-20f ? d : copysignf(1e-20f, d));
}

/// Whether the origin and the direction are finite. A ray with NaN or infinite ones would hit every
/// box.
TL_HD inline bool is_finite(const Ray& ray) {
    vec3 sum = ray.origin + ray.direction;
    return fabsf(sum.x) + fabsf(sum.y) + fabsf(sum.z) < kInfinity;
}

/// Returns t_max for box tests: finite, since the boxes of missing children lie at infinity.
TL_HD inline float box_t_max(const Ray& ray) {
    return minimum(ray.t_max, FLT_MAX);
}

/// Returns the distance at which a ray has entered three slabs, at least `t_min`, which is not
/// negative. Hopper computes it as a three-way integer maximum: non-negative floats have the same
/// order as integers, and any negative value yields t_min.
TL_HD inline float slab_entry(float x, float y, float z, float t_min) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    int latest = __vimax3_s32(__float_as_int(x), __float_as_int(y), __float_as_int(z));
    return __int_as_float(max(latest, __float_as_int(t_min)));
#else
    return maximum(maximum(x, y), maximum(z, t_min));
#endif
}
/// Returns the distance at which a ray leaves the first of three slabs, at most `t_max`; some
/// negative value if that point is behind the ray.
TL_HD inline float slab_exit(float x, float y, float z, float t_max) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    int first = __vimin3_s32(__float_as_int(x), __float_as_int(y), __float_as_int(z));
    return __int_as_float(min(first, __float_as_int(t_max)));
#else
    return minimum(minimum(x, y), minimum(z, t_max));
#endif
}

/// Ray data precomputed for slab tests. With kRobust, the test subtracts before multiplying and
/// widens the exit by a few ulps, so that rounding never misses a box (Ize 2013, "Robust BVH ray
/// traversal"). Otherwise each plane costs one fused multiply-add, and a box that a ray only grazes
/// may be missed.
template <bool kRobust>
struct SlabRay {
    vec3 origin;  ///< the ray's origin; unless robust, -origin * inverse direction
    vec3 inverse_direction;

    SlabRay() = default;
    TL_HD TL_ALWAYS_INLINE explicit SlabRay(const Ray& ray)
        : inverse_direction(safe_inverse(ray.direction.x), safe_inverse(ray.direction.y),
                            safe_inverse(ray.direction.z)) {
        origin = kRobust ? ray.origin : -ray.origin * inverse_direction;
    }
    TL_HD TL_ALWAYS_INLINE vec3 planes(vec3 p) const {
        if (kRobust) return (p - origin) * inverse_direction;
        return vec3(fmaf(p.x, inverse_direction.x, origin.x),
                    fmaf(p.y, inverse_direction.y, origin.y),
                    fmaf(p.z, inverse_direction.z, origin.z));
    }
    /// Whether the ray intersects the box within [t_min, t_max]; `entry` is the distance.
    TL_HD TL_ALWAYS_INLINE bool meets(vec3 lo, vec3 hi, float t_min, float t_max,
                                      float& entry) const {
        vec3 a = planes(lo), b = planes(hi);
        entry = slab_entry(minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z), t_min);
        constexpr float kWiden = kRobust ? 1.0000004f : 1.0f;
        return entry <= slab_exit(maximum(a.x, b.x) * kWiden, maximum(a.y, b.y) * kWiden,
                                  maximum(a.z, b.z) * kWiden, t_max);
    }
};

TL_DEVICE_END
