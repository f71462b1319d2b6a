// The surface at a hit: position, normals, material and albedo. Roundings are written out
// (core/base/fused.h), so that every kernel sees the same surface.
#pragma once

#include <cstring>

#include "accel/patch/patch_surface.h"
#include "accel/primitives.h"
#include "core/base/fused.h"
#include "renderer/shading/clearance.h"
#include "renderer/shading/splat_blend.h"
#include "renderer/shading/splat_cells.h"
#include "renderer/shading/texture.h"

TL_DEVICE_BEGIN

/// The scene for kernels of one kind of tracer. Primitives that its trees never hold are known at
/// compile time to be absent, and cost no registers.
template <bool kPatches>
TL_HD inline SceneView seen_with(SceneView scene) {
    if (!kPatches) scene.tree.patches = {};
    return scene;
}
template <class Tracer>
TL_HD inline SceneView seen_by(const SceneView& scene) {
    return seen_with<Tracer::kPatches>(scene);
}

/// Whether the material is a mirror or dielectric, shaded by reflected or refracted rays instead of
/// scattered light.
TL_HD inline bool sends_rays_on(const MaterialData& material) {
    return material.kind == MaterialKind::mirror || material.kind == MaterialKind::dielectric;
}

struct Surface {
    vec3 position;
    vec3 geometric_normal;  ///< unit, outward: by winding, or away from a sphere's centre
    vec3 normal;            ///< unit shading normal, on the geometric normal's side
    vec2 uv;
    const MaterialData* material;
    PatchPosition on_patch;  ///< start of rays that leave it: on a patch, or the clearance
    vec3 tint{1};            ///< blended colour of splats
};

/// The kind of primitive that was hit.
enum class PrimitiveKind : std::uint32_t {
    triangle,
    instance,  ///< a triangle of an instanced mesh
    sphere,
    splat,
    patch,
};

TL_HD inline PrimitiveKind kind_of(const SceneView& scene, const Hit& hit) {
    if (hit.instance != Hit::kNone) return PrimitiveKind::instance;
    const PatchesView& patches = scene.tree.patches;
    if (!patches.empty() && hit.primitive >= patches.first_primitive) return PrimitiveKind::patch;
    if (hit.primitive < scene.n_triangles) return PrimitiveKind::triangle;
    return scene.splats.splats && hit.primitive >= scene.n_triangles + scene.n_spheres
               ? PrimitiveKind::splat
               : PrimitiveKind::sphere;
}

/// Index, within its kind, of the sphere, splat or patch that was hit.
TL_HD inline std::uint32_t sphere_of(const SceneView& scene, const Hit& hit) {
    return hit.primitive - scene.n_triangles;
}
TL_HD inline std::uint32_t splat_of(const SceneView& scene, const Hit& hit) {
    return hit.primitive - scene.n_triangles - scene.n_spheres;
}
TL_HD inline std::uint32_t patch_of(const SceneView& scene, const Hit& hit) {
    return hit.primitive - scene.tree.patches.first_primitive;
}

/// Index of the triangle that was hit, among all that the scene stores.
TL_HD inline std::uint32_t triangle_of(const SceneView& scene, const Hit& hit) {
    return hit.instance == Hit::kNone
               ? hit.primitive
               : scene.instances[hit.instance].first_triangle + hit.primitive;
}

/// The material at a hit.
TL_HD inline const MaterialData& material_at(const SceneView& scene, const Hit& hit) {
    std::int32_t material = -1;
    switch (kind_of(scene, hit)) {
        case PrimitiveKind::patch:
            material = scene.patch_materials[patch_of(scene, hit)];
            break;
        case PrimitiveKind::sphere:
            material = scene.spheres[sphere_of(scene, hit)].material;
            break;
        case PrimitiveKind::splat:
            material = scene.splats.splats[splat_of(scene, hit)].material;
            break;
        case PrimitiveKind::instance:
            material = scene.instances[hit.instance].material;
            break;
        case PrimitiveKind::triangle:
            break;
    }
    if (material < 0) material = scene.triangle_materials[triangle_of(scene, hit)];
    return scene.materials[material];
}

/// The light of this surface, as an index into scene.lights; -1 for none. Renderers that both
/// sample lights and hit them need it to avoid counting their light twice.
TL_HD inline std::int32_t light_of(const SceneView& scene, const Surface& surface) {
    return scene.material_lights[surface.material - scene.materials];
}

/// Index of the light of the surface at a hit, those of emissive surfaces included; -1 for none.
TL_HD inline std::int32_t any_light_of(const SceneView& scene, const Hit& hit,
                                       const Surface& surface) {
    std::int32_t described = light_of(scene, surface);
    if (described >= 0) return described;
    const LightSearch& search = scene.search;
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::triangle && search.triangle_lights)
        return search.triangle_lights[hit.primitive];
    if (kind == PrimitiveKind::instance) {
        const InstanceShading& instance = scene.instances[hit.instance];
        if (instance.first_light < 0) return -1;
        if (instance.material >= 0)  // all its triangles are emissive
            return instance.first_light + static_cast<std::int32_t>(hit.primitive);
        std::int32_t number = search.triangle_lights[triangle_of(scene, hit)];
        return number < 0 ? -1 : instance.first_light + number;
    }
    if (kind == PrimitiveKind::sphere && search.sphere_lights)
        return search.sphere_lights[sphere_of(scene, hit)];
    if (kind == PrimitiveKind::patch && search.patch_lights)
        return search.patch_lights[patch_of(scene, hit)];
    if (kind == PrimitiveKind::splat && scene.splats.cells) {
        std::int32_t number = light_of_splats(scene.splats, splat_of(scene, hit), surface.position);
        return number < 0 ? -1 : search.first_splat_light + number;
    }
    return -1;
}

/// A triangle's surface in the space of its mesh, before both normals are put on the same side and
/// the clearance is set. Sets `rounding`, in the same space.
TL_HD inline Surface surface_of_triangle(const SceneView& scene, std::uint32_t triangle,
                                         const Hit& hit, TriangleRounding& rounding) {
    Surface s;
    glm::uvec3 t = scene.triangles[triangle];
    vec3 p0 = scene.positions[t.x], p1 = scene.positions[t.y], p2 = scene.positions[t.z];
    float w = 1 - hit.u - hit.v;
    s.position = fused_mean(w, p0, hit.u, p1, hit.v, p2);
    vec3 across = fused_cross(p1 - p0, p2 - p0);
    float inverse = 1 / fused_length(across);
    s.geometric_normal = product(inverse, across);
    rounding = {largest_of_corners(p0, p1, p2), rounding_of_edges(p1 - p0, p2 - p0, inverse)};
    vec3 shading =
        fused_mean(w, scene.normals[t.x], hit.u, scene.normals[t.y], hit.v, scene.normals[t.z]);
    float length = fused_length(shading);
    s.normal = length > 1e-6f ? product(1 / length, shading) : s.geometric_normal;
    s.uv = fused_mean(w, scene.uvs[t.x], hit.u, scene.uvs[t.y], hit.v, scene.uvs[t.z]);
    s.material = &scene.materials[scene.triangle_materials[triangle]];
    return s;
}

/// The surface of a triangle of the scene or of an instance. Normals are transformed by the inverse
/// transpose, which keeps outsides outside where an instance is mirrored.
TL_HD inline Surface triangle_surface(const SceneView& scene, const Hit& hit) {
    TriangleRounding rounding;
    Surface s = surface_of_triangle(scene, triangle_of(scene, hit), hit, rounding);
    if (hit.instance != Hit::kNone) {
        const InstanceShading& instance = scene.instances[hit.instance];
        const AffineRows& to_object = scene.tree.instances[hit.instance].world_to_object;
        s.position = instance.object_to_world.point(s.position);
        s.normal = fused_unit(to_object.transposed_direction(s.normal));
        vec3 normal = to_object.transposed_direction(s.geometric_normal);
        s.geometric_normal = fused_unit(normal);
        rounding = rounding.in_world(instance.object_to_world, fused_length(normal));
        if (instance.material >= 0) s.material = &scene.materials[instance.material];
    }
    s.on_patch = PatchPosition::off_patches(rounding.clearance(s.geometric_normal));
    if (fused_dot(s.normal, s.geometric_normal) < 0) s.geometric_normal = -s.geometric_normal;
    return s;
}

/// Texture coordinates of a patch at (u, v), and their derivatives.
struct PatchUv {
    vec2 at, du, dv;
};

TL_HD inline PatchUv patch_uv(const SceneView& scene, std::uint32_t patch, float u, float v) {
    if (!scene.patch_uvs) return {{u, v}, {1, 0}, {0, 1}};
    const vec2* c = scene.patch_uvs + std::size_t(4) * patch;
    vec2 low = glm::mix(c[0], c[1], v), high = glm::mix(c[2], c[3], v);
    return {glm::mix(low, high, u), high - low, glm::mix(c[1] - c[0], c[3] - c[2], u)};
}
TL_HD inline PatchUv patch_uv(const SceneView& scene, const Hit& hit) {
    return patch_uv(scene, patch_of(scene, hit), hit.u, hit.v);
}

/// The surface of a patch at parameters (u, v).
TL_HD inline PatchSurface patch_at(const SceneView& scene, std::uint32_t patch, float u, float v) {
    const PatchesView& patches = scene.tree.patches;
    return patch_surface_at(patches.points[patch],
                            patches.weights ? patches.weights + patch : nullptr, u, v);
}
TL_HD inline PatchSurface patch_at(const SceneView& scene, const Hit& hit, float u, float v) {
    return patch_at(scene, patch_of(scene, hit), u, v);
}

TL_HD inline Surface patch_surface(const SceneView& scene, const Hit& hit) {
    PatchSurface patch = patch_at(scene, hit, hit.u, hit.v);
    Surface s;
    s.position = patch.position;
    s.normal = s.geometric_normal = patch.normal;
    s.uv = patch_uv(scene, hit).at;
    s.material = &scene.materials[scene.patch_materials[patch_of(scene, hit)]];
    s.on_patch = {patch_of(scene, hit), hit.u, hit.v};
    return s;
}

/// Texture coordinates of a sphere where its unit normal is `normal`.
TL_HD inline vec2 sphere_uv(vec3 normal) {
    return vec2(atan2f(normal.x, normal.z) / (2 * kPi) + 0.5f,
                acosf(minimum(maximum(-normal.y, -1.0f), 1.0f)) / kPi);
}

TL_HD inline Surface sphere_surface(const SceneView& scene, const Ray& ray, const Hit& hit) {
    Surface s;
    const SphereData& sphere = scene.spheres[sphere_of(scene, hit)];
    s.normal = fused_unit(fused(hit.t, ray.direction, ray.origin) - sphere.center);
    s.geometric_normal = s.normal;
    s.position = fused(sphere.radius, s.normal, sphere.center);  // back onto the sphere
    s.uv = sphere_uv(s.normal);
    s.material = &scene.materials[sphere.material];
    s.on_patch =
        PatchPosition::off_patches(sphere_clearance(sphere.center, sphere.radius, s.normal));
    return s;
}

/// The surface at a hit on splats. Both normals are the blend's, so that discs do not show as
/// facets at grazing light. They face the side on which the ray arrives.
TL_HD inline Surface splat_surface(const SceneView& scene, const Ray& ray, const Hit& hit) {
    constexpr float kGrazing = 1e-3f;  // least cosine between normal and ray
    Surface s;
    std::uint32_t i = splat_of(scene, hit);
    vec3 d = fused_unit(ray.direction);
    SplatBlend blend = blend_splats(scene.splats, i, fused(hit.t, ray.direction, ray.origin), d);
    vec3 normal = blend.normal;
    float cosine = blend.side * fused_dot(normal, d);
    if (cosine < kGrazing) normal = fused_unit(fused(blend.side * (kGrazing - cosine), d, normal));
    s.position = blend.position;
    s.normal = s.geometric_normal = normal;
    s.uv = vec2(0);
    s.material = &scene.materials[scene.splats.splats[i].material];
    s.on_patch = PatchPosition::off_patches(blend.clearance + point_clearance(s.position, normal));
    s.tint = blend.color;
    return s;
}

TL_HD inline Surface surface_at(const SceneView& scene, const Ray& ray, const Hit& hit) {
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::patch) return patch_surface(scene, hit);
    if (kind == PrimitiveKind::splat) return splat_surface(scene, ray, hit);
    return kind == PrimitiveKind::sphere ? sphere_surface(scene, ray, hit)
                                         : triangle_surface(scene, hit);
}

/// A colour times that of the texture `index` at the surface, if it is one; `footprint` as for
/// sample_texture.
TL_HD inline vec3 textured(const SceneView& scene, vec3 color, int index, const Surface& surface,
                           float footprint) {
    if (index < 0 || !scene.textures) return color;
    return color * vec3(sample_texture(scene, index, surface.uv, footprint));
}

/// Whether the surface at a hit may emit by itself, besides its material: splats and spheres.
TL_HD inline bool has_own_emission(const SceneView& scene, const Hit& hit) {
    if (!scene.has_point_emission()) return false;
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::splat)
        return scene.splats.cells && scene.splats.cell_of[splat_of(scene, hit)] >= 0;
    return kind == PrimitiveKind::sphere && scene.sphere_emission &&
           scene.sphere_emission[sphere_of(scene, hit)] != vec3(0);
}

/// Emission on the outside of the surface at a hit, W/(sr m^2), textures included.
TL_HD inline vec3 emission_at(const SceneView& scene, const Surface& surface, const Hit& hit,
                              float footprint) {
    if (has_own_emission(scene, hit)) {
        if (kind_of(scene, hit) == PrimitiveKind::sphere)
            return scene.sphere_emission[sphere_of(scene, hit)];
        return emission_of_splats(scene.splats, splat_of(scene, hit), surface.position);
    }
    const MaterialData& m = *surface.material;
    return textured(scene, m.emission, m.emission_texture, surface, footprint);
}

/// Interpolated vertex colour at a hit, or the colour of the sphere or splats; white where there is
/// none.
TL_HD TL_OUT_OF_LINE vec3 vertex_color(const SceneView& scene, const Surface& surface,
                                       const Hit& hit) {
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::splat) return surface.tint;
    if (kind == PrimitiveKind::patch) return vec3(1);
    if (kind == PrimitiveKind::sphere)
        return scene.sphere_colors ? scene.sphere_colors[sphere_of(scene, hit)] : vec3(1);
    if (!scene.colors) return vec3(1);
    glm::uvec3 t = scene.triangles[triangle_of(scene, hit)];
    return fused_mean(1 - hit.u - hit.v, scene.colors[t.x], hit.u, scene.colors[t.y], hit.v,
                      scene.colors[t.z]);
}

/// A colour of the surface's material, times its texture and its vertices' colours.
TL_HD inline vec3 base_color(const SceneView& scene, vec3 color, const Surface& surface,
                             const Hit& hit, float footprint) {
    if (scene.has_colors()) color *= vertex_color(scene, surface, hit);
    return textured(scene, color, surface.material->diffuse_texture, surface, footprint);
}

/// The diffuse albedo, textures and the vertices' colours included.
TL_HD inline vec3 albedo_of(const SceneView& scene, const Surface& surface, const Hit& hit,
                            float footprint) {
    return base_color(scene, surface.material->diffuse, surface, hit, footprint);
}

/// The origin of rays that leave a surface on the side of `normal`, for `position` on or near it.
/// On a patch it is `position` itself, since the ray stores its patch coordinates and cannot hit
/// it. Elsewhere it lies beyond the rounding errors of the surface, and on splats beyond all discs
/// there.
TL_HD inline vec3 start_of_rays(PatchPosition place, vec3 position, vec3 normal) {
    if (place.exists()) return position;
    return fused(place.clearance(), normal, position);
}
TL_HD inline vec3 start_of_rays(const Surface& s, vec3 position, vec3 normal) {
    return start_of_rays(s.on_patch, position, normal);
}

TL_DEVICE_END
