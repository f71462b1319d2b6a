// Primitives as stored in leaves, in leaf order, and their intersection with rays.
#pragma once

#include <cstddef>

#include "accel/box.h"
#include "accel/patch/patches.h"
#include "accel/watertight.h"
#include "core/base/fused.h"

namespace tl {

/// A ray; hits count for t in (t_min, t_max), with t_min >= 0. `direction` need not be unit length.
/// Aligned so that kernels can read it in 16-byte words.
struct alignas(16) Ray {
    vec3 origin{0};
    float t_min = 0;
    vec3 direction{0, 0, 1};
    float t_max = kInfinity;
    PatchPosition
        on_patch;  ///< start point if on a patch, not a hit; read by tracers of patches only
};

/// The closest hit. t: distance along the ray. u, v: barycentric coordinates of vertices 1 and 2
/// (triangles), or the parameters of a patch. primitive: its index before the tree reordered it.
/// instance: the instance that was hit.
struct Hit {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    float t = kInfinity;
    float u = 0, v = 0;
    std::uint32_t primitive = kNone;  ///< in an instance: the triangle of its mesh
    std::uint32_t instance = kNone;
    [[nodiscard]] TL_HD bool found() const { return primitive != kNone; }
};

/// 48 bytes. A triangle: one vertex and the two edges from it; in a robust tree, its three
/// vertices. A sphere: centre, and the radius in edge1.x. A splat: centre, unit normal as edge1,
/// and the radius in edge2.x. An instance or a piece of a patch: its index as `id`; the rest is in
/// TreeView::instances or ::patches.
struct alignas(16) Primitive {
    static constexpr std::uint32_t kTriangle = 0, kSphere = 1, kInstance = 2;
    static constexpr std::uint32_t kWatertightTriangle = 3, kPatch = 4, kSplat = 5, kGaussian = 6;
    vec3 vertex;
    std::uint32_t id;
    vec3 edge1;
    std::uint32_t kind;
    vec3 edge2;
    float slack;  ///< triangle: see slack_of; else 0
};
static_assert(sizeof(Primitive) == 48 && offsetof(Primitive, edge2) == 32);

}  // namespace tl

TL_DEVICE_BEGIN

TL_HD inline float one_norm(vec3 v) {
    return fabsf(v.x) + fabsf(v.y) + fabsf(v.z);
}

/// Bound of the rounding errors in the edge tests of intersect_triangle, for a direction and a
/// distance from the vertex to the ray's origin of length 1 (one-norms). The worst case would be
/// seven roundings of 2^-24 of terms as large as the longer edge, in two-norms; one-norms are three
/// times these on average, and roundings rarely add up.
TL_HD inline float slack_of(vec3 edge1, vec3 edge2) {
    constexpr float kRounding = 0x1p-23f;
    return kRounding * maximum(one_norm(edge1), one_norm(edge2));
}

/// Moeller and Trumbore 1997, with every bound scaled by the determinant so that only hits divide.
/// Both sides count. Since the tests allow for their own rounding error, a ray that would miss both
/// triangles of an edge by rounding hits both instead.
TL_HD inline bool intersect_triangle(const Primitive& p, const Ray& ray, float t_max, Hit& hit) {
    vec3 q = fused_cross(ray.direction, p.edge2);
    float determinant = fused_dot(p.edge1, q);
    vec3 to_origin = ray.origin - p.vertex;
    vec3 r = fused_cross(to_origin, p.edge1);
    float sign = copysignf(1.0f, determinant), scale = fabsf(determinant);
    float u = fused_dot(to_origin, q) * sign;
    float v = fused_dot(ray.direction, r) * sign;
    float t = fused_dot(p.edge2, r) * sign;
    float slack = p.slack * one_norm(to_origin) * one_norm(ray.direction);
    bool inside = u >= -slack && v >= -slack && u + v <= scale + slack;
    if (!(inside && t > ray.t_min * scale && t < t_max * scale)) return false;
    float inverse = 1 / scale;
    hit = {t * inverse, u * inverse, v * inverse, p.id};
    return true;
}

/// The nearer root in range, by the formulas of Haines et al. 2019 ("Precision improvements for
/// ray/sphere intersection", Ray Tracing Gems ch. 7), which stay accurate for small and far
/// spheres.
TL_HD inline bool intersect_sphere(const Primitive& p, const Ray& ray, float t_max, Hit& hit) {
    float radius = p.edge1.x;
    vec3 f = ray.origin - p.vertex;
    float a = fused_dot(ray.direction, ray.direction);
    float b = -fused_dot(f, ray.direction);
    // Vector to the ray's nearest point from the centre.
    vec3 nearest = fused(b / a, ray.direction, f);
    float discriminant = fmaf(radius, radius, -fused_dot(nearest, nearest));
    if (!(discriminant >= 0)) return false;
    float c = fmaf(-radius, radius, fused_dot(f, f));
    float q = b + copysignf(sqrtf(a * discriminant), b);
    float t0 = c / q, t1 = q / a;
    if (t0 > t1) {
        float swap = t0;
        t0 = t1;
        t1 = swap;
    }
    float t = t0 > ray.t_min ? t0 : t1;
    if (!(t > ray.t_min && t < t_max)) return false;
    hit = {t, 0, 0, p.id};
    return true;
}

/// Intersects a splat, a two-sided disc. Its plane is intersected from the ray's point nearest to
/// the centre, as in intersect_sphere. Where the disc is hit, distances from there are at most the
/// radius. So rounding stays small against the radius for small and far discs, and for rays at
/// grazing angles. A ray within the plane misses.
TL_HD inline bool intersect_splat(const Primitive& p, const Ray& ray, float t_max, Hit& hit) {
    float radius = p.edge2.x;
    vec3 f = ray.origin - p.vertex;
    float to_nearest = -fused_dot(f, ray.direction) / fused_dot(ray.direction, ray.direction);
    vec3 nearest = fused(to_nearest, ray.direction, f);
    float to_plane = -fused_dot(p.edge1, nearest) / fused_dot(p.edge1, ray.direction);
    vec3 from_center = fused(to_plane, ray.direction, nearest);
    if (!(fused_dot(from_center, from_center) <= product(radius, radius))) return false;
    float t = to_nearest + to_plane;
    if (!(t > ray.t_min && t < t_max)) return false;
    hit = {t, 0, 0, p.id};
    return true;
}

TL_HD inline Primitive splat_primitive(std::uint32_t id, vec3 center, vec3 normal, float radius) {
    Primitive p{};
    p.id = id;
    p.vertex = center;
    p.kind = Primitive::kSplat;
    p.edge1 = normal;
    p.edge2.x = radius;
    return p;
}

/// The disc's box, which extends r sqrt(1 - n^2) along each axis, and a few roundings more.
TL_HD inline Box splat_box(vec3 center, vec3 normal, float radius) {
    constexpr float kRounding = 0x1p-21f;
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        float a = normal[(axis + 1) % 3], b = normal[(axis + 2) % 3];
        float reach =
            fmaf(radius, sqrtf(fmaf(a, a, b * b)), kRounding * (radius + fabsf(center[axis])));
        box.lo[axis] = center[axis] - reach;
        box.hi[axis] = center[axis] + reach;
    }
    return box;
}

/// The triangle a, b, c in the form that leaves store.
TL_HD inline Primitive triangle_primitive(std::uint32_t id, vec3 a, vec3 b, vec3 c, bool robust) {
    Primitive p{};
    p.id = id;
    p.vertex = a;
    p.kind = robust ? Primitive::kWatertightTriangle : Primitive::kTriangle;
    p.edge1 = robust ? b : b - a;
    p.edge2 = robust ? c : c - a;
    p.slack = robust ? 0 : slack_of(p.edge1, p.edge2);
    return p;
}

/// A ray prepared for the primitives of a tree that is robust or not; precomputes only what such
/// leaves need. Does not handle instances.
template <bool kRobust>
struct PrimitiveRay {
    TL_HD explicit PrimitiveRay(const Ray&) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind == Primitive::kTriangle) return intersect_triangle(p, ray, t_max, hit);
        return p.kind == Primitive::kSplat ? intersect_splat(p, ray, t_max, hit)
                                           : intersect_sphere(p, ray, t_max, hit);
    }
};

template <>
struct PrimitiveRay<true> {
    ShearedRay sheared;

    TL_HD explicit PrimitiveRay(const Ray& ray) : sheared(ray.origin, ray.direction) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind != Primitive::kWatertightTriangle)
            return PrimitiveRay<false>(ray).meets(p, ray, t_max, hit);
        float t, u, v;
        if (!sheared.meets(p.vertex, p.edge1, p.edge2, ray.t_min, t_max, t, u, v)) return false;
        hit = {t, u, v, p.id};
        return true;
    }
};

/// Makes the ray testers of trees whose leaves hold only triangles, spheres and splats. Trees with
/// patches use a class with the same members (accel/patch/patch_tests.h).
template <bool kRobust>
struct PlainTests {
    static constexpr bool kPatches = false;
    template <bool kAnyHit>
    [[nodiscard]] TL_HD PrimitiveRay<kRobust> tester(const Ray& ray) const {
        return PrimitiveRay<kRobust>(ray);
    }
};

/// Intersects triangles of both kinds, spheres and splats.
TL_HD inline bool intersect(const Primitive& p, const Ray& ray, float t_max, Hit& hit) {
    return p.kind == Primitive::kWatertightTriangle
               ? PrimitiveRay<true>(ray).meets(p, ray, t_max, hit)
               : PrimitiveRay<false>(ray).meets(p, ray, t_max, hit);
}

TL_DEVICE_END
