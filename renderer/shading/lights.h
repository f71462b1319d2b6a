// Sampling of lights: a random direction from a point to a source, with the unoccluded radiance.
// Roundings that decide visibility are written out (core/base/fused.h).
#pragma once

#include "core/base/fused.h"
#include "renderer/optics/directions.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/environment.h"
#include "renderer/shading/surface.h"
#include "renderer/shading/texture.h"

TL_DEVICE_BEGIN

/// A sample of a light's unoccluded emission at a point.
struct LightSample {
    vec3 direction;  ///< unit, towards the source
    float distance;  ///< to the source; infinite for a directional one
    vec3 radiance;   ///< W/(sr m^2); from a single direction: W/m^2 on a surface facing it
    /// 1 / the probability density of the direction, sr; 1 where there is a single direction.
    float inverse_density;
    float inverse_distance;  ///< 0 where the distance is infinite
};

/// The fraction of a spot light's intensity along unit `direction`: 1 within the inner cone,
/// 0 outside the outer one, a cubic in the cosine between.
TL_HD inline float spot_falloff(const LightData& spot, vec3 direction) {
    float above = glm::dot(spot.normal, direction) - spot.cos_outer;
    if (above <= 0) return 0;
    if (above >= spot.cos_falloff) return 1;
    float t = above / spot.cos_falloff;
    return t * t * (3 - 2 * t);
}

/// 1 - the cosine of the angle that the sphere's radius subtends from `p`; 0 from within it.
TL_HD inline float sphere_light_versine(const LightData& light, vec3 p) {
    vec3 to_center = light.position - p;
    float distance2 = glm::dot(to_center, to_center), radius2 = light.radius * light.radius;
    if (!(distance2 > radius2)) return 0;
    float sin2 = radius2 / distance2;
    // Without cancellation for small cones.
    return sin2 / (1 + sqrtf(1 - sin2));
}

/// Samples uniformly the cone of directions that the sphere subtends from outside (Shirley, Wang &
/// Zimmerman 1996, "Monte Carlo techniques for direct lighting calculations", 3.2.2).
TL_HD inline bool sample_sphere_light(const LightData& light, vec3 p, float r1, float r2,
                                      LightSample& sample) {
    // Shadow rays end at a slightly larger sphere: near the rim, where they graze it, rounding may
    // move their own hit with the sphere closer.
    constexpr float kLarger = 1.001f;
    vec3 to_center = light.position - p;
    float distance2 = glm::dot(to_center, to_center), radius2 = light.radius * light.radius;
    float versine_max = sphere_light_versine(light, p);
    if (!(versine_max > 0)) return false;
    float distance = sqrtf(distance2);
    float versine = r1 * versine_max, cosine = 1 - versine;
    float sin2 = versine * (1 + cosine), sine = sqrtf(sin2);
    vec2 on = point_of_circle(2 * r2);
    vec3 axis = to_center / distance, a, b;
    basis_of(axis, a, b);
    sample.direction = glm::normalize(cosine * axis + sine * (on.x * a + on.y * b));
    float half_chord2 = maximum(kLarger * kLarger * radius2 - distance2 * sin2, 0.0f);
    sample.distance = maximum(distance * cosine - sqrtf(half_chord2), 0.0f);
    sample.inverse_distance = sample.distance > 0 ? 1 / sample.distance : 0.0f;
    sample.radiance = light.radiance;
    sample.inverse_density = 2 * kPi * versine_max;
    return true;
}

/// The sample of a light's surface at `to_light` from the shading point, where its unit normal is
/// `normal` and points are sampled with density 1 / `area`.
TL_HD inline bool sample_surface_light(const LightData& light, vec3 to_light, vec3 normal,
                                       float area, LightSample& sample) {
    float distance2 = fused_dot(to_light, to_light);
    if (!(distance2 > 0)) return false;
    sample.distance = sqrtf(distance2);
    sample.inverse_distance = 1 / sample.distance;
    sample.direction = product(sample.inverse_distance, to_light);
    float cos_light = -fused_dot(normal, sample.direction);
    sample.radiance = light.radiance;
    sample.inverse_density = cos_light * area / distance2;
    return cos_light > 0;
}

/// The sample of a flat light, uniform in area.
TL_HD inline bool sample_flat_light(const LightData& light, vec3 to_light, LightSample& sample) {
    return sample_surface_light(light, to_light, light.normal, light.area, sample);
}

/// Samples the rectangle uniformly in area.
TL_HD inline bool sample_rectangle_light(const LightData& light, vec3 p, float r1, float r2,
                                         LightSample& sample) {
    vec3 to_light = fused(r2, light.edge_v, fused(r1, light.edge_u, light.position)) - p;
    return sample_flat_light(light, to_light, sample);
}

/// Parameters of a point sampled uniformly in area on a triangle (Turk 1990, "Generating random
/// points in triangles").
TL_HD inline vec2 point_of_triangle(float r1, float r2) {
    float root = sqrtf(r1);
    return {1 - root, r2 * root};
}

/// Samples the triangle uniformly in area, without its texture.
TL_HD inline bool sample_triangle_light(const LightData& light, vec3 p, float r1, float r2,
                                        LightSample& sample) {
    vec2 at = point_of_triangle(r1, r2);
    vec3 to_light = fused(at.y, light.edge_v, fused(at.x, light.edge_u, light.position)) - p;
    return sample_flat_light(light, to_light, sample);
}

/// Whether the light is a patch; known at compile time to be none in kernels without patches.
TL_HD inline bool is_patch_light(const SceneView& scene, const LightData& light) {
    return !scene.tree.patches.empty() && light.kind == LightKind::patch;
}

/// Whether the light is that of a splat; known at compile time to be none in kernels of scenes
/// whose splats emit nothing.
TL_HD inline bool is_splat_light(const SceneView& scene, const LightData& light) {
    return scene.splats.cells && light.kind == LightKind::splat;
}

/// Whether the light is an emissive surface, not described by a Light.
TL_HD inline bool is_emissive_surface(const SceneView& scene, const LightData& light) {
    return light.kind == LightKind::triangle || is_patch_light(scene, light) ||
           is_splat_light(scene, light);
}

/// Area of a patch's surface per area in its parameters.
TL_HD inline float patch_stretch(const PatchSurface& at) {
    return fused_length(fused_cross(at.du, at.dv));
}

/// Samples the patch uniformly in its parameters, (r1, r2), without its texture.
TL_HD inline bool sample_patch_light(const SceneView& scene, const LightData& light, vec3 p,
                                     float r1, float r2, LightSample& sample) {
    PatchSurface at = patch_at(scene, light.surface, r1, r2);
    float stretch = patch_stretch(at);
    return stretch > 0 && sample_surface_light(light, at.position - p, at.normal, stretch, sample);
}

/// Samples the cell of a splat uniformly in area. Shadow rays end above all discs there.
TL_HD inline bool sample_splat_light(const SceneView& scene, const LightData& light, vec3 p,
                                     float r1, float r2, LightSample& sample) {
    // Sideways of a place, discs beyond so many radii lie below its plane, or belong to another
    // surface, which casts a shadow.
    constexpr float kReach = 4;
    vec3 place;
    float lift;
    if (!sample_splat_cell(scene.splats, light, r1, r2, place, lift) ||
        !sample_flat_light(light, place - p, sample))
        return false;
    float cos_light = -fused_dot(light.normal, sample.direction);
    float above = minimum(lift / cos_light, maximum(lift, kReach * light.radius));
    sample.distance = maximum(sample.distance - above, 0.0f);
    return true;
}

/// Factor of a light's radiance by the textures of its material: 0 in a hole. The light is a
/// surface; its point was sampled by `r1` and `r2`. `normal`: a sphere's normal at the point. Not
/// inlined, since few scenes need it.
TL_D inline TL_NO_INLINE vec3 texture_of_light(const SceneView& scene, const LightData& light,
                                               float r1, float r2, vec3 normal) {
    vec2 uv;
    if (light.kind == LightKind::sphere) {
        uv = sphere_uv(normal);
    } else if (is_patch_light(scene, light)) {
        uv = patch_uv(scene, light.surface, r1, r2).at;
    } else {
        vec2 at = point_of_triangle(r1, r2);
        glm::uvec3 t = scene.triangles[light.surface];
        uv =
            fused_mean(1 - at.x - at.y, scene.uvs[t.x], at.x, scene.uvs[t.y], at.y, scene.uvs[t.z]);
    }
    const MaterialData& m = scene.materials[light.textured_material];
    if (m.alpha_texture >= 0 && sample_alpha(scene, m.alpha_texture, uv) < m.alpha_cutoff)
        return vec3(0);
    return m.emission_texture >= 0 ? vec3(sample_texture(scene, m.emission_texture, uv, 0))
                                   : vec3(1);
}

/// Normal of a sphere light where the unit `direction` from `p` hits it.
TL_HD inline vec3 sphere_light_normal(const LightData& light, vec3 p, vec3 direction) {
    vec3 from_center = p - light.position;
    float along = -fused_dot(from_center, direction);
    vec3 beside = fused(along, direction, from_center);
    float half_chord2 = maximum(light.radius * light.radius - fused_dot(beside, beside), 0.0f);
    return fused_unit(fused(-sqrtf(half_chord2), direction, beside));
}

/// The factor of texture_of_light() for a sample of the light from `p`.
TL_D inline vec3 texture_of_sample(const SceneView& scene, const LightData& light, vec3 p, float r1,
                                   float r2, const LightSample& sample) {
    vec3 normal =
        light.kind == LightKind::sphere ? sphere_light_normal(light, p, sample.direction) : vec3(0);
    return texture_of_light(scene, light, r1, r2, normal);
}

/// Point and spot lights.
TL_HD inline bool sample_point_light(const LightData& light, vec3 p, LightSample& sample) {
    vec3 to_light = light.position - p;
    float distance2 = fused_dot(to_light, to_light);
    if (!(distance2 > 0)) return false;
    sample.distance = sqrtf(distance2);
    sample.inverse_distance = 1 / sample.distance;
    sample.direction = product(sample.inverse_distance, to_light);
    float part = light.kind == LightKind::spot ? spot_falloff(light, -sample.direction) : 1.0f;
    sample.radiance = light.radiance * (part / distance2);
    sample.inverse_density = 1;
    return part > 0;
}

/// Samples a direction in proportion to the map's radiance.
TL_HD inline bool sample_environment_light(const LightData& light, float r1, float r2,
                                           LightSample& sample) {
    float density;
    sample.direction = sample_environment(*light.environment, r1, r2, density);
    sample.distance = kInfinity;
    sample.inverse_distance = 0;
    if (!(density > 0)) return false;
    sample.radiance = environment_radiance(*light.environment, sample.direction);
    sample.inverse_density = 1 / density;
    return true;
}

/// Samples a direction from `p` towards a source from two numbers in [0, 1). False if no light of
/// the source arrives at `p`.
TL_HD inline bool sample_light(const LightData& light, vec3 p, float r1, float r2,
                               LightSample& sample) {
    switch (light.kind) {
        case LightKind::directional:
            sample = {-light.normal, kInfinity, light.radiance, 1, 0};
            return true;
        case LightKind::rectangle:
            return sample_rectangle_light(light, p, r1, r2, sample);
        case LightKind::sphere:
            return sample_sphere_light(light, p, r1, r2, sample);
        case LightKind::environment:
            return sample_environment_light(light, r1, r2, sample);
        case LightKind::point:
        case LightKind::spot:
            return sample_point_light(light, p, sample);
        case LightKind::triangle:  // sample_any_light, for renderers that choose among all
        case LightKind::patch:
        case LightKind::splat:
            return false;
    }
    return false;
}

/// sample_light for any light, emissive surfaces included, without their textures.
TL_HD inline bool sample_any_light(const SceneView& scene, const LightData& light, vec3 p, float r1,
                                   float r2, LightSample& sample) {
    if (light.kind == LightKind::triangle) return sample_triangle_light(light, p, r1, r2, sample);
    if (is_patch_light(scene, light)) return sample_patch_light(scene, light, p, r1, r2, sample);
    if (is_splat_light(scene, light)) return sample_splat_light(scene, light, p, r1, r2, sample);
    return sample_light(light, p, r1, r2, sample);
}

/// Density of sampling the light along unit `direction` from `p`, where a ray hits the light's
/// surface at `distance`, 1/sr. It is 0 for lights that no ray hits, and for patches: see
/// density_of_met_light.
TL_HD inline float light_density(const LightData& light, vec3 p, vec3 direction, float distance) {
    switch (light.kind) {
        case LightKind::rectangle:
        case LightKind::triangle:
        case LightKind::splat: {
            float cos_light = -fused_dot(light.normal, direction);
            return cos_light > 0 ? distance * distance / (cos_light * light.area) : 0.0f;
        }
        case LightKind::sphere: {
            float versine = sphere_light_versine(light, p);
            return versine > 0 ? 1 / (2 * kPi * versine) : 0.0f;
        }
        case LightKind::environment:
            return environment_density(*light.environment, direction);
        case LightKind::point:
        case LightKind::spot:
        case LightKind::directional:
        case LightKind::patch:
            return 0;
    }
    return 0;
}

/// Density of sampling any light, patches included, along unit `direction` from `p`, where a ray
/// has hit it at `hit`, 1/sr.
TL_HD inline float density_of_met_light(const SceneView& scene, const LightData& light, vec3 p,
                                        vec3 direction, const Hit& hit) {
    if (!is_patch_light(scene, light)) return light_density(light, p, direction, hit.t);
    PatchSurface at = patch_at(scene, light.surface, hit.u, hit.v);
    float projected = -fused_dot(at.normal, direction) * patch_stretch(at);
    return projected > 0 ? hit.t * hit.t / projected : 0.0f;
}

/// Whether the light subtends a solid angle, so that shadows are soft and samples need random
/// numbers.
TL_HD inline bool is_wide(const LightData& light) {
    return has_surface(light.kind) || light.kind == LightKind::environment;
}

TL_DEVICE_END
