// Emission of photons: a source is sampled about in proportion to its power, and a ray of it in
// proportion to its emission. Rays of sources at infinity start on the faces of a box around the
// scene, each sampled in proportion to its projected area.
#pragma once

#include "accel/box.h"
#include "renderer/scene/alias_table.h"
#include "renderer/shading/lights.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// An emitted ray and its power, W: the emission divided by the density of the ray.
struct EmittedRay {
    vec3 origin;
    vec3 direction;  ///< unit
    vec3 power;
    std::uint32_t source = 0;  ///< set by emit_light: index among the photon sources
    PatchPosition on_patch{};  ///< start of the ray, if on a patch
};

TL_HD inline vec3 sphere_direction(vec2 r) {
    float z = 1 - 2 * r.x, ring = sqrtf(maximum(0.0f, 1 - z * z));
    return {ring * point_of_circle(2 * r.y), z};
}

/// Projected area of the box along unit `direction`, m^2.
TL_HD inline float projected_area(const Box& box, vec3 direction) {
    vec3 size = box.hi - box.lo;
    return fabsf(direction.x) * size.y * size.z + fabsf(direction.y) * size.z * size.x +
           fabsf(direction.z) * size.x * size.y;
}

/// Reciprocal of the density with which emit_from draws a ray of the light along unit `direction`,
/// times the cosine at a surface. It is the ratio of power to radiance, m^2 sr; for points, of
/// power to intensity, sr; for directional lights, of power to irradiance, m^2. For patches it is
/// the mean over the parameters.
TL_D inline float emission_spread(const LightData& light, const Box& around, vec3 direction) {
    switch (light.kind) {
        case LightKind::point:
            return 4 * kPi;
        case LightKind::spot:
            return 2 * kPi * (1 - light.cos_outer);
        case LightKind::rectangle:
        case LightKind::triangle:
        case LightKind::patch:
        case LightKind::splat:
            return kPi * light.area;
        case LightKind::sphere:
            return 4 * kPi * kPi * light.radius * light.radius;
        case LightKind::directional:
            return projected_area(around, direction);
        case LightKind::environment:
            return projected_area(around, direction) /
                   environment_density(*light.environment, -direction);
    }
    return kInfinity;
}

/// A face of a box, sampled by a number in [0, 1) among the faces through which light along unit
/// `direction` enters, in proportion to projected area.
struct BoxFace {
    int axis, u, v;  ///< axis across the face, and the two along it
    float area;      ///< projected area of the box, m^2
    float share;     ///< fraction of `area` that is the face's
    float within;    ///< the number rescaled to the face, in [0, 1]

    TL_HD BoxFace(const Box& box, vec3 direction, float number) {
        vec3 size = box.hi - box.lo, d = direction;
        vec3 areas(fabsf(d.x) * size.y * size.z, fabsf(d.y) * size.z * size.x,
                   fabsf(d.z) * size.x * size.y);
        area = areas.x + areas.y + areas.z;
        within = number * area;
        for (axis = 0; axis < 2 && within >= areas[axis]; ++axis) within -= areas[axis];
        within = areas[axis] > 0 ? minimum(within / areas[axis], 1.0f) : 0.5f;
        share = areas[axis] / area;
        u = (axis + 1) % 3;
        v = (axis + 2) % 3;
    }
};

/// Sets the ray's origin, on the faces through which light along ray.direction enters the box, and
/// returns the box's projected area. Close origins have close numbers.
TL_HD inline float enter_box(const Box& box, vec2 place, EmittedRay& ray) {
    const BoxFace face(box, ray.direction, place.x);
    vec3 size = box.hi - box.lo;
    ray.origin[face.axis] = ray.direction[face.axis] > 0 ? box.lo[face.axis] : box.hi[face.axis];
    ray.origin[face.u] = fmaf(face.within, size[face.u], box.lo[face.u]);
    ray.origin[face.v] = fmaf(place.y, size[face.v], box.lo[face.v]);
    return face.area;
}

/// Sets a ray from a diffuse emitter of area `area` (m^2). `normal` is unit; the ray starts
/// `clearance` (m) above the surface.
TL_HD inline void leave_surface(vec3 position, vec3 normal, float clearance, float area,
                                vec3 radiance, vec2 r, EmittedRay& ray) {
    ray.origin = fused(clearance, normal, position);
    ray.direction = cosine_direction(normal, r);
    ray.power = kPi * area * radiance;
}

/// Clearance, m, of rays that start on a rectangle or triangle light.
TL_HD inline float flat_light_clearance(const LightData& light) {
    vec3 u = light.edge_u, v = light.edge_v;
    TriangleRounding rounding{absolute(light.position) + absolute(u) + absolute(v),
                              rounding_of_edges(u, v, 1 / fused_length(fused_cross(u, v)))};
    return rounding.clearance(light.normal);
}

/// Samples a ray of the light by numbers in [0, 1); `around`: a box around the scene. False where
/// the light's emission in that direction is 0. `kAnySurface`: whether there may be lights that are
/// patches or splats.
template <bool kAnySurface>
TL_D inline bool emit_from(const SceneView& scene, const LightData& light, const Box& around,
                           vec2 place, vec2 direction, EmittedRay& ray) {
    switch (light.kind) {
        case LightKind::point:
            ray.origin = light.position;
            ray.direction = sphere_direction(direction);
            ray.power = 4 * kPi * light.radiance;
            return true;
        case LightKind::spot: {
            float z = 1 - direction.x * (1 - light.cos_outer);
            float ring = sqrtf(maximum(0.0f, 1 - z * z));
            ray.origin = light.position;
            ray.direction = fused_unit(
                NormalFrame(light.normal).world({ring * point_of_circle(2 * direction.y), z}));
            ray.power = light.radiance *
                        (2 * kPi * (1 - light.cos_outer) * spot_falloff(light, ray.direction));
            return ray.power != vec3(0);
        }
        case LightKind::rectangle:
            leave_surface(
                fused(place.y, light.edge_v, fused(place.x, light.edge_u, light.position)),
                light.normal, flat_light_clearance(light), light.area, light.radiance, direction,
                ray);
            return true;
        case LightKind::triangle: {
            vec2 at = point_of_triangle(place.x, place.y);
            vec3 radiance = light.radiance;
            if (light.textured_material >= 0)
                radiance *= texture_of_light(scene, light, place.x, place.y, vec3(0));
            leave_surface(fused(at.y, light.edge_v, fused(at.x, light.edge_u, light.position)),
                          light.normal, flat_light_clearance(light), light.area, radiance,
                          direction, ray);
            return ray.power != vec3(0);
        }
        case LightKind::patch: {
            if (!kAnySurface || !is_patch_light(scene, light)) return false;
            PatchSurface at = patch_at(scene, light.surface, place.x, place.y);
            vec3 radiance = light.radiance;
            if (light.textured_material >= 0)
                radiance *= texture_of_light(scene, light, place.x, place.y, vec3(0));
            float stretch = patch_stretch(at);
            if (!(stretch > 0) || radiance == vec3(0)) return false;
            leave_surface(at.position, at.normal, 0, stretch, radiance, direction, ray);
            ray.on_patch = {light.surface, place.x, place.y};
            return true;
        }
        case LightKind::splat: {
            vec3 position;
            float lift;
            if (!kAnySurface || !is_splat_light(scene, light) ||
                !sample_splat_cell(scene.splats, light, place.x, place.y, position, lift))
                return false;
            leave_surface(position, light.normal, lift, light.area, light.radiance, direction, ray);
            return true;
        }
        case LightKind::sphere: {
            // Isotropic emission: uniform on the disc that faces the direction.
            ray.direction = sphere_direction(direction);
            vec2 on = sqrtf(place.x) * point_of_circle(2 * place.y);
            vec3 normal = NormalFrame(ray.direction).world({on, sqrtf(maximum(0.0f, 1 - place.x))});
            ray.origin =
                fused(light.radius + sphere_clearance(light.position, light.radius, normal), normal,
                      light.position);
            ray.power = light.radiance * (4 * kPi * kPi * light.radius * light.radius);
            if (light.textured_material >= 0)
                ray.power *= texture_of_light(scene, light, place.x, place.y, normal);
            return ray.power != vec3(0);
        }
        case LightKind::directional:
            ray.direction = light.normal;
            ray.power = light.radiance * enter_box(around, place, ray);
            return true;
        case LightKind::environment: {
            LightSample sample;
            if (!sample_environment_light(light, direction.x, direction.y, sample)) return false;
            ray.direction = -sample.direction;
            ray.power = sample.radiance * (sample.inverse_density * enter_box(around, place, ray));
            return true;
        }
    }
    return false;
}

/// Samples a ray of any of the scene's sources by numbers in [0, 1). Calls move(source, place,
/// direction) with the index of the source; it may change the numbers, and returns a factor of the
/// power. `kAnySurface`: as for emit_from.
template <bool kAnySurface = true, class Move>
TL_D inline bool emit_light(const SceneView& scene, const Box& around, vec2 source, vec2 place,
                            vec2 direction, Move&& move, EmittedRay& ray) {
    const PhotonSources& sources = scene.photon_sources;
    if (sources.n == 0) return false;
    std::uint32_t index = draw_alias(sources.table, sources.n, source);
    float weight = move(index, place, direction);
    if (index + 1 == sources.n) {
        ray.direction = sphere_direction(direction);
        ray.power = scene.background * (4 * kPi * enter_box(around, place, ray));
    } else if (!emit_from<kAnySurface>(scene, scene.lights[index], around, place, direction, ray)) {
        return false;
    }
    ray.power *= weight / sources.table[index].probability;
    ray.source = index;
    return true;
}

TL_DEVICE_END
