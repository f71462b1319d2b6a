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
    Float8 clearance;  ///< clearance of rays that leave it, m
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

inline Vec3x8 absolute(Vec3x8 v) {
    return {absolute(v.x), absolute(v.y), absolute(v.z)};
}
inline Vec3x8 largest_by_axis(Vec3x8 a, Vec3x8 b) {
    return {maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z)};
}

/// rounding_of_edges for eight lanes.
inline Float8 rounding_of_edges(Vec3x8 edge1, Vec3x8 edge2, Float8 inverse_of_cross) {
    Vec3x8 a = absolute(edge1), b = absolute(edge2), reach = largest_by_axis(a, b);
    Vec3x8 terms{fused(a.y, b.z, a.z * b.y), fused(a.z, b.x, a.x * b.z),
                 fused(a.x, b.y, a.y * b.x)};
    Float8 most = Float8(kMostOfEdges) * maximum(maximum(reach.x, reach.y), reach.z);
    Float8 of_edges = fused_dot(reach, terms) * inverse_of_cross;
    return select(of_edges < most, of_edges, most);
}

/// TriangleRounding::clearance for eight lanes.
inline Float8 triangle_clearance(const Corners8& c, Float8 of_edges, Vec3x8 normal) {
    Vec3x8 corners =
        largest_by_axis(largest_by_axis(absolute(c.positions[0]), absolute(c.positions[1])),
                        absolute(c.positions[2]));
    return Float8(kClearance) *
           maximum(fused_dot(absolute(normal), corners) + of_edges, Float8(kLeastRounding));
}

/// sphere_clearance for eight lanes.
inline Float8 sphere_clearance(Vec3x8 center, Float8 radius, Vec3x8 normal) {
    return Float8(kClearance) * (fused_dot(absolute(normal), absolute(center)) + radius);
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
    Vec3x8 edge1 = c.positions[1] - c.positions[0], edge2 = c.positions[2] - c.positions[0];
    Vec3x8 across = fused_cross(edge1, edge2);
    Float8 inverse = Float8(1.0f) / fused_length(across);
    s.geometric_normal = inverse * across;
    s.clearance =
        triangle_clearance(c, rounding_of_edges(edge1, edge2, inverse), s.geometric_normal);
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
        Float8 clearance = sphere_clearance(center, radius, normal);
        if (on_triangle.any()) {
            s.clearance = select(s.is_sphere, clearance, s.clearance);
            s.normal = select(s.is_sphere, normal, s.normal);
            s.geometric_normal = select(s.is_sphere, normal, s.geometric_normal);
            s.position = select(s.is_sphere, position, s.position);
        } else {
            s.normal = s.geometric_normal = normal;
            s.position = position;
            s.clearance = clearance;
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

/// start_of_rays for eight lanes.
inline Vec3x8 start_of_rays(const Surface8& s, Vec3x8 position, Vec3x8 normal) {
    return fused(s.clearance, normal, position);
}

TL_DEVICE_END
