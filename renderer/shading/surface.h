// The surface at a hit: position, normals, material and texture.
#pragma once

#include <cstring>

#include "accel/primitives.h"
#include "renderer/scene/scene_view.h"

TL_DEVICE_BEGIN

struct Surface {
    vec3 position;
    vec3 geometric_normal;  ///< unit, outward: by winding, or away from a sphere's centre
    vec3 normal;            ///< unit shading normal, on the geometric normal's side
    vec2 uv;
    const MaterialData* material;
};

/// IEC 61966-2-1.
TL_HD inline float linear_from_srgb(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

TL_HD inline vec3 texel(const SceneView& scene, const TextureData& texture, int x, int y) {
    // Repeats outside [0, 1).
    x %= texture.width;
    y %= texture.height;
    if (x < 0) x += texture.width;
    if (y < 0) y += texture.height;
    std::uint32_t packed =
        scene.texels[texture.first_texel + static_cast<std::uint32_t>(y * texture.width + x)];
    vec3 rgb;
    for (int c = 0; c < 3; ++c)
        rgb[c] = linear_from_srgb(static_cast<float>(packed >> (8 * c) & 255u) / 255.0f);
    return rgb;
}

/// Bilinear, repeating; (0, 0) is the lower left corner of the image.
TL_HD inline vec3 sample_texture(const SceneView& scene, int index, vec2 uv) {
    const TextureData& texture = scene.textures[index];
    float x = (uv.x - floorf(uv.x)) * static_cast<float>(texture.width) - 0.5f;
    float y = (1 - (uv.y - floorf(uv.y))) * static_cast<float>(texture.height) - 0.5f;
    float x0 = floorf(x), y0 = floorf(y);
    float wx = x - x0, wy = y - y0;
    int ix = static_cast<int>(x0), iy = static_cast<int>(y0);
    vec3 top = glm::mix(texel(scene, texture, ix, iy), texel(scene, texture, ix + 1, iy), wx);
    vec3 bottom =
        glm::mix(texel(scene, texture, ix, iy + 1), texel(scene, texture, ix + 1, iy + 1), wx);
    return glm::mix(top, bottom, wy);
}

/// Without the last step of a surface: bringing its normals to the same side.
TL_HD inline Surface surface_of_triangle(const SceneView& scene, std::uint32_t triangle,
                                         const Hit& hit) {
    Surface s;
    glm::uvec3 t = scene.triangles[triangle];
    vec3 p0 = scene.positions[t.x], p1 = scene.positions[t.y], p2 = scene.positions[t.z];
    float w = 1 - hit.u - hit.v;
    s.position = w * p0 + hit.u * p1 + hit.v * p2;
    s.geometric_normal = glm::normalize(glm::cross(p1 - p0, p2 - p0));
    vec3 shading = w * scene.normals[t.x] + hit.u * scene.normals[t.y] + hit.v * scene.normals[t.z];
    float length = glm::length(shading);
    s.normal = length > 1e-6f ? shading / length : s.geometric_normal;
    s.uv = w * scene.uvs[t.x] + hit.u * scene.uvs[t.y] + hit.v * scene.uvs[t.z];
    s.material = &scene.materials[scene.triangle_materials[triangle]];
    return s;
}

/// Of the scene's own triangles and those of instances. Normals go by the inverse transpose, which
/// keeps outsides outside where an instance is mirrored.
TL_HD inline Surface triangle_surface(const SceneView& scene, const Hit& hit) {
    Surface s;
    if (hit.instance == Hit::kNone) {
        s = surface_of_triangle(scene, hit.primitive, hit);
    } else {
        const InstanceShading& instance = scene.instances[hit.instance];
        const AffineRows& to_object = scene.tree.instances[hit.instance].world_to_object;
        s = surface_of_triangle(scene, instance.first_triangle + hit.primitive, hit);
        s.position = instance.object_to_world.point(s.position);
        s.normal = glm::normalize(to_object.transposed_direction(s.normal));
        s.geometric_normal = glm::normalize(to_object.transposed_direction(s.geometric_normal));
        if (instance.material >= 0) s.material = &scene.materials[instance.material];
    }
    if (glm::dot(s.normal, s.geometric_normal) < 0) s.geometric_normal = -s.geometric_normal;
    return s;
}

TL_HD inline Surface sphere_surface(const SceneView& scene, const Ray& ray, const Hit& hit) {
    Surface s;
    const SphereData& sphere = scene.spheres[hit.primitive - scene.n_triangles];
    s.normal = glm::normalize(ray.origin + hit.t * ray.direction - sphere.center);
    s.geometric_normal = s.normal;
    s.position = sphere.center + sphere.radius * s.normal;  // back onto the sphere
    s.uv = vec2(atan2f(s.normal.x, s.normal.z) / (2 * kPi) + 0.5f,
                acosf(minimum(maximum(-s.normal.y, -1.0f), 1.0f)) / kPi);
    s.material = &scene.materials[sphere.material];
    return s;
}

TL_HD inline Surface surface_at(const SceneView& scene, const Ray& ray, const Hit& hit) {
    bool is_sphere = hit.instance == Hit::kNone && hit.primitive >= scene.n_triangles;
    return is_sphere ? sphere_surface(scene, ray, hit) : triangle_surface(scene, hit);
}

/// The diffuse albedo, texture included.
TL_HD inline vec3 albedo_of(const SceneView& scene, const Surface& surface) {
    vec3 albedo = surface.material->diffuse;
    int texture = surface.material->diffuse_texture;
    return texture < 0 ? albedo : albedo * sample_texture(scene, texture, surface.uv);
}

/// Moves a point off its surface to the side of `normal`, by an amount that grows with the
/// coordinates' own rounding (Waechter & Binder 2019, Ray Tracing Gems ch. 6).
TL_HD inline vec3 offset_from_surface(vec3 p, vec3 normal) {
    constexpr float kNearOrigin = 1.0f / 32, kFloatScale = 1.0f / 65536, kIntScale = 256;
    vec3 moved;
    for (int axis = 0; axis < 3; ++axis) {
        if (fabsf(p[axis]) < kNearOrigin) {
            moved[axis] = p[axis] + kFloatScale * normal[axis];
            continue;
        }
        std::int32_t bits;
        memcpy(&bits, &p[axis], sizeof bits);
        auto steps = static_cast<std::int32_t>(kIntScale * normal[axis]);
        bits += p[axis] < 0 ? -steps : steps;
        memcpy(&moved[axis], &bits, sizeof bits);
    }
    return moved;
}

TL_DEVICE_END
