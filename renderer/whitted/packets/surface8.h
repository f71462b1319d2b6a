// The surfaces at eight hits: surface.h and terminator.h for packets, in scenes without textures
// and instances.
#pragma once

#include "renderer/shading/terminator.h"
#include "renderer/whitted/packets/ray_bins.h"

TL_DEVICE_BEGIN

/// The corners of triangles, and the hits' barycentric coordinates.
struct Corners8 {
    Vec3x8 positions[3], normals[3];
    Float8 weights[3];
};

/// Surface for eight lanes; the material is an index.
struct Surface8 {
    Vec3x8 position, geometric_normal, normal;
    Int8 material;
    Mask8 is_sphere;
    Corners8 corners;  ///< valid for lanes that hit no sphere
};

template <class Field>
int word_of(Field MaterialData::*field) {
    static const MaterialData kNone{};
    return static_cast<int>(
        (reinterpret_cast<const char*>(&(kNone.*field)) - reinterpret_cast<const char*>(&kNone)) /
        4);
}
inline Float8 material_float(const SceneView& scene, Int8 material, int word) {
    return gather_word<sizeof(MaterialData) / 4>(scene.materials, material, word);
}
inline Vec3x8 material_vec3(const SceneView& scene, Int8 material, int word) {
    return gather_vec3<sizeof(MaterialData) / 4>(scene.materials, material, word);
}
inline Int8 material_kind(const SceneView& scene, Int8 material) {
    return as_ints(material_float(scene, material, word_of(&MaterialData::kind)));
}

inline Mask8 spheres_among(const SceneView& scene, Int8 primitive, Mask8 active) {
    return without(active, primitive < Int8(scene.n_triangles));
}

/// The materials at the active lanes' hits.
inline Int8 materials_of(const SceneView& scene, Int8 primitive, Mask8 active) {
    Mask8 on_sphere = spheres_among(scene, primitive, active);
    Mask8 on_triangle = without(active, on_sphere);
    Int8 material(0);
    if (on_triangle.any())
        material = as_ints(
            gather_word<1>(scene.triangle_materials, select(on_triangle, primitive, Int8(0)), 0));
    if (on_sphere.any()) {
        constexpr int kWords = sizeof(SphereData) / 4;
        Int8 sphere = select(on_sphere, primitive - Int8(scene.n_triangles), Int8(0));
        material =
            select(on_sphere, as_ints(gather_word<kWords>(scene.spheres, sphere, 4)), material);
    }
    return select(active, material, Int8(0));
}

inline void take_triangles(const SceneView& scene, Int8 primitive, Float8 u, Float8 v,
                           Surface8& s) {
    Int8 corner[3];
    for (int k = 0; k < 3; ++k) corner[k] = as_ints(gather_word<3>(scene.triangles, primitive, k));
    Corners8& c = s.corners;
    for (int k = 0; k < 3; ++k) {
        c.positions[k] = gather_vec3<3>(scene.positions, corner[k]);
        c.normals[k] = gather_vec3<3>(scene.normals, corner[k]);
    }
    Float8 w = Float8(1.0f) - u - v;
    c.weights[0] = w, c.weights[1] = u, c.weights[2] = v;
    s.position = fused_mean(w, c.positions[0], u, c.positions[1], v, c.positions[2]);
    s.geometric_normal =
        fused_unit(fused_cross(c.positions[1] - c.positions[0], c.positions[2] - c.positions[0]));
    Vec3x8 shading = fused_mean(w, c.normals[0], u, c.normals[1], v, c.normals[2]);
    Float8 length = fused_length(shading);
    Mask8 has_normal = length > Float8(1e-6f);
    s.normal = select(has_normal, Float8(1.0f) / length * shading, s.geometric_normal);
    Float8 same_side = fused_dot(s.normal, s.geometric_normal);
    s.geometric_normal = select(same_side < Float8(0.0f), -s.geometric_normal, s.geometric_normal);
}

/// The surfaces at the active lanes' hits; other lanes hold undefined values.
inline Surface8 surfaces_at(const SceneView& scene, Vec3x8 origin, Vec3x8 direction, Float8 t,
                            Float8 u, Float8 v, Int8 primitive, Int8 material, Mask8 active) {
    Surface8 s;
    s.material = material;
    s.is_sphere = spheres_among(scene, primitive, active);
    Mask8 on_triangle = without(active, s.is_sphere);
    if (on_triangle.any()) take_triangles(scene, select(on_triangle, primitive, Int8(0)), u, v, s);
    if (s.is_sphere.any()) {
        constexpr int kWords = sizeof(SphereData) / 4;
        Int8 sphere = select(s.is_sphere, primitive - Int8(scene.n_triangles), Int8(0));
        Vec3x8 center = gather_vec3<kWords>(scene.spheres, sphere);
        Float8 radius = gather_word<kWords>(scene.spheres, sphere, 3);
        Vec3x8 normal = fused_unit(fused(t, direction, origin) - center);
        Vec3x8 position = fused(radius, normal, center);
        if (on_triangle.any()) {
            s.normal = select(s.is_sphere, normal, s.normal);
            s.geometric_normal = select(s.is_sphere, normal, s.geometric_normal);
            s.position = select(s.is_sphere, position, s.position);
        } else {
            s.normal = s.geometric_normal = normal;
            s.position = position;
        }
    }
    return s;
}

/// to_smooth_surface for lanes on triangles.
inline Vec3x8 to_smooth_surfaces(const Surface8& s, Mask8 from_inside) {
    Vec3x8 rise(vec3(0));
    for (int k = 0; k < 3; ++k) {
        Vec3x8 normal = s.corners.normals[k];
        Float8 length = fused_length(normal);
        Mask8 has_normal = length > Float8(0.0f);
        normal = select(has_normal, Float8(1.0f) / length * normal, Vec3x8(vec3(0)));
        normal = select(from_inside, -normal, normal);
        Float8 below =
            minimum(fused_dot(s.position - s.corners.positions[k], normal), Float8(0.0f));
        rise = fused(-s.corners.weights[k] * below, normal, rise);
    }
    return rise;
}

inline Float8 offset_from_surface(Float8 p, Float8 normal) {
    constexpr float kNearOrigin = 1.0f / 32, kFloatScale = 1.0f / 65536, kIntScale = 256;
    Int8 steps = _mm256_cvttps_epi32((Float8(kIntScale) * normal).v);
    steps = select(p < Float8(0.0f), Int8(0) - steps, steps);
    Float8 stepped = as_floats(as_ints(p) + steps);
    return select(absolute(p) < Float8(kNearOrigin), fused(Float8(kFloatScale), normal, p),
                  stepped);
}
inline Vec3x8 offset_from_surface(Vec3x8 p, Vec3x8 normal) {
    return {offset_from_surface(p.x, normal.x), offset_from_surface(p.y, normal.y),
            offset_from_surface(p.z, normal.z)};
}

TL_DEVICE_END
