// Derivatives of texture coordinates and normals over the surface at a hit, for ray cones, normal
// maps and smooth terminators.
#pragma once

#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// A corner of the triangle that was hit, in world space.
struct Corner {
    vec3 position;
    vec3 normal;  ///< unit; zero: the triangle's geometric normal applies
    vec2 uv;
};

TL_HD inline Corner corner_of(const SceneView& scene, const Hit& hit, std::uint32_t vertex) {
    Corner c{scene.positions[vertex], scene.normals[vertex], scene.uvs[vertex]};
    if (hit.instance != Hit::kNone) {
        const AffineRows& to_object = scene.tree.instances[hit.instance].world_to_object;
        c.position = scene.instances[hit.instance].object_to_world.point(c.position);
        c.normal = to_object.transposed_direction(c.normal);
    }
    float length = fused_length(c.normal);
    c.normal = length > 0 ? product(1 / length, c.normal) : vec3(0);
    return c;
}

/// The three corners of the triangle that was hit.
struct Corners {
    vec3 positions[3], normals[3];
    vec2 uvs[3];
};

TL_HD inline Corners corners_of(const SceneView& scene, const Hit& hit) {
    Corners all;
    glm::uvec3 t = scene.triangles[triangle_of(scene, hit)];
    for (int k = 0; k < 3; ++k) {
        Corner c = corner_of(scene, hit, t[k]);
        all.positions[k] = c.position;
        all.normals[k] = c.normal;
        all.uvs[k] = c.uv;
    }
    return all;
}

/// Texture coordinates per metre of the surface: the square root of the ratio of areas.
TL_HD inline float uv_density(const SceneView& scene, const Hit& hit, const Surface& s) {
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::sphere) {
        float radius = scene.spheres[sphere_of(scene, hit)].radius;
        float ring = sqrtf(maximum(fmaf(-s.normal.y, s.normal.y, 1.0f), 1e-6f));
        return 1 / (radius * kPi * sqrtf(2 * ring));
    }
    if (kind == PrimitiveKind::splat) return 0;
    if (kind == PrimitiveKind::patch) {
        PatchSurface p = patch_at(scene, hit, hit.u, hit.v);
        PatchUv uv = patch_uv(scene, hit);
        float area = maximum(glm::length(glm::cross(p.du, p.dv)), 1e-30f);
        return sqrtf(fabsf(uv.du.x * uv.dv.y - uv.du.y * uv.dv.x) / area);
    }
    Corners c = corners_of(scene, hit);
    vec2 a = c.uvs[1] - c.uvs[0], b = c.uvs[2] - c.uvs[0];
    vec3 across = fused_cross(c.positions[1] - c.positions[0], c.positions[2] - c.positions[0]);
    return sqrtf(fabsf(fused_cross(a, b)) / fused_length(across));
}

/// Footprint, in texture coordinates, of a ray of that width along unit `direction`: the diameter
/// of a circle with the area of the ellipse in which the surface cuts the ray's cone. (The papers
/// take the ellipse's long axis. A pixel's samples are spread along it, so that the circle blurs
/// less without more aliasing.)
TL_HD inline float uv_footprint(const SceneView& scene, const Hit& hit, const Surface& s,
                                vec3 direction, float width) {
    float cosine = maximum(fabsf(fused_dot(s.geometric_normal, direction)), 1e-4f);
    return width * uv_density(scene, hit, s) / sqrtf(cosine);
}

/// curvature_of for a patch, by its normals at small steps along u and v.
TL_HD inline float patch_curvature(const SceneView& scene, const Hit& hit) {
    constexpr float kStep = 1e-2f;
    PatchSurface here = patch_at(scene, hit, hit.u, hit.v);
    float sum = 0;
    for (int k = 0; k < 2; ++k) {
        float u = hit.u, v = hit.v;
        float& along = k == 0 ? u : v;
        along += along < 0.5f ? kStep : -kStep;
        PatchSurface there = patch_at(scene, hit, u, v);
        vec3 way = there.position - here.position;
        float squared = glm::dot(way, way);
        if (squared > 0) sum += glm::dot(there.normal - here.normal, way) / squared;
    }
    return sum / 2;
}

/// The angle, in radians, by which the normal turns per metre of the surface: the mean along the
/// edges; above 0 where the outside is convex.
TL_HD inline float curvature_of(const SceneView& scene, const Hit& hit) {
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::sphere) return 1 / scene.spheres[sphere_of(scene, hit)].radius;
    if (kind == PrimitiveKind::splat) {
        const float* m = scene.splats.splats[splat_of(scene, hit)].bend;
        return 0.5f * (m[0] + m[3] + m[5]);
    }
    if (kind == PrimitiveKind::patch) return patch_curvature(scene, hit);
    Corners c = corners_of(scene, hit);
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        vec3 edge = c.positions[(k + 1) % 3] - c.positions[k];
        float squared = fused_dot(edge, edge);
        if (squared > 0) sum += fused_dot(c.normals[(k + 1) % 3] - c.normals[k], edge) / squared;
    }
    return sum / 3;
}

/// Unit vectors along which u and v grow, perpendicular to the shading normal and to each other.
/// False where the texture coordinates are degenerate.
TL_HD inline bool uv_axes(const SceneView& scene, const Hit& hit, const Surface& s, vec3& tangent,
                          vec3& bitangent) {
    vec3 along_u(s.normal.z, 0, -s.normal.x), along_v = fused_cross(s.normal, along_u);
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::splat) return false;
    if (kind == PrimitiveKind::patch) {
        PatchSurface p = patch_at(scene, hit, hit.u, hit.v);
        PatchUv uv = patch_uv(scene, hit);
        float sign = copysignf(1.0f, uv.du.x * uv.dv.y - uv.du.y * uv.dv.x);
        along_u = sign * (uv.dv.y * p.du - uv.du.y * p.dv);
        along_v = sign * (uv.du.x * p.dv - uv.dv.x * p.du);
    } else if (kind != PrimitiveKind::sphere) {
        Corners c = corners_of(scene, hit);
        vec3 e1 = c.positions[1] - c.positions[0], e2 = c.positions[2] - c.positions[0];
        vec2 a = c.uvs[1] - c.uvs[0], b = c.uvs[2] - c.uvs[0];
        // Scaled by the determinant, of which only the sign matters.
        float sign = copysignf(1.0f, fused_cross(a, b));
        along_u = sign * fused(b.y, e1, product(-a.y, e2));
        along_v = sign * fused(a.x, e2, product(-b.x, e1));
    }
    along_u = fused(-fused_dot(along_u, s.normal), s.normal, along_u);
    float length = fused_length(along_u);
    vec3 third = fused_cross(s.normal, along_u);
    float handedness = fused_dot(third, along_v);
    if (!(length > 0) || !(fabsf(handedness) > 0)) return false;
    tangent = along_u / length;
    bitangent = copysignf(1.0f, handedness) * third / length;
    return true;
}

TL_DEVICE_END
