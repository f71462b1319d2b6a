// Light as it leaves its sources: a source is drawn about in proportion to its power, and a ray of
// it in proportion to its light. Sources without a place shine through the faces of a box around
// the scene, each in proportion to its area as seen from the light.
#pragma once

#include "accel/box.h"
#include "renderer/scene/alias_table.h"
#include "renderer/shading/lights.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// A ray of light and the power that it stands for, W: the light divided by the density with which
/// the ray was drawn.
struct EmittedRay {
    vec3 origin;
    vec3 direction;  ///< unit
    vec3 power;
    std::uint32_t source = 0;  ///< by emit_light: its number among the photon sources
    PatchPlace from{};         ///< where it starts, if on a patch
};

TL_HD inline vec3 sphere_direction(vec2 r) {
    float z = 1 - 2 * r.x, ring = sqrtf(maximum(0.0f, 1 - z * z));
    return {ring * point_of_circle(2 * r.y), z};
}

/// The area of the box as seen along unit `direction`, m^2.
TL_HD inline float projected_area(const Box& box, vec3 direction) {
    vec3 size = box.hi - box.lo;
    return fabsf(direction.x) * size.y * size.z + fabsf(direction.y) * size.z * size.x +
           fabsf(direction.z) * size.x * size.y;
}

/// One over the density with which emit_from draws a ray of the light that travels in unit
/// `direction`, times the cosine at a surface: of power and radiance, m^2 sr; of a point's power
/// and intensity, sr; of a direction's power and irradiance, m^2. Of a patch the mean over its
/// parameters.
TL_D inline float emission_spread(const LightData& light, const Box& around, vec3 direction) {
    switch (light.kind) {
        case LightKind::point:
            return 4 * kPi;
        case LightKind::spot:
            return 2 * kPi * (1 - light.cos_outer);
        case LightKind::rectangle:
        case LightKind::triangle:
        case LightKind::patch:
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

/// The face of a box by which light along unit `direction` enters that is drawn by a number in
/// [0, 1), each in proportion to its area as seen from the light.
struct BoxFace {
    int axis, u, v;  ///< the one across it, and those along it
    float area;      ///< of all faces, as seen from the light, m^2
    float share;     ///< of the area
    float within;    ///< in [0, 1]: what is left of the number

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

/// Sets the ray's origin, on the faces of the box that light along ray.direction enters by, and
/// returns the area of the box's projection. Places close to each other have numbers that are.
TL_HD inline float enter_box(const Box& box, vec2 place, EmittedRay& ray) {
    const BoxFace face(box, ray.direction, place.x);
    vec3 size = box.hi - box.lo;
    ray.origin[face.axis] = ray.direction[face.axis] > 0 ? box.lo[face.axis] : box.hi[face.axis];
    ray.origin[face.u] = fmaf(face.within, size[face.u], box.lo[face.u]);
    ray.origin[face.v] = fmaf(place.y, size[face.v], box.lo[face.v]);
    return face.area;
}

/// Sets a ray from a surface of area `area` (m^2) that emits the same radiance in all directions.
/// `normal` is unit; the ray starts `clearance` (m) above the surface.
TL_HD inline void leave_surface(vec3 position, vec3 normal, float clearance, float area,
                                vec3 radiance, vec2 r, EmittedRay& ray) {
    ray.origin = fused(clearance, normal, position);
    ray.direction = cosine_direction(normal, r);
    ray.power = kPi * area * radiance;
}

/// Clearance, m, of rays that leave a rectangle or triangle light.
TL_HD inline float flat_light_clearance(const LightData& light) {
    vec3 u = light.edge_u, v = light.edge_v;
    TriangleRounding rounding{absolute(light.position) + absolute(u) + absolute(v),
                              rounding_of_edges(u, v, 1 / fused_length(fused_cross(u, v)))};
    return rounding.clearance(light.normal);
}

/// A ray of the light, drawn by numbers in [0, 1); `around`: a box around the scene. False where
/// the light sends nothing that way. `kPatches`: whether there may be lights that are patches.
template <bool kPatches>
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
            if (!kPatches || !is_patch_light(scene, light)) return false;
            PatchSurface at = patch_at(scene, light.surface, place.x, place.y);
            vec3 radiance = light.radiance;
            if (light.textured_material >= 0)
                radiance *= texture_of_light(scene, light, place.x, place.y, vec3(0));
            float stretch = patch_stretch(at);
            if (!(stretch > 0) || radiance == vec3(0)) return false;
            leave_surface(at.position, at.normal, 0, stretch, radiance, direction, ray);
            ray.from = {light.surface, place.x, place.y};
            return true;
        }
        case LightKind::sphere: {
            // The same in all directions: from an even point of the disc that is seen from there.
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

/// A ray of any of the scene's sources; the numbers are in [0, 1). `move` is called as move(source,
/// place, direction) with the number of the source, may change the numbers, and returns what the
/// power is to be multiplied by. `kPatches`: as for emit_from.
template <bool kPatches = true, class Move>
TL_D inline bool emit_light(const SceneView& scene, const Box& around, vec2 source, vec2 place,
                            vec2 direction, Move&& move, EmittedRay& ray) {
    const PhotonSources& sources = scene.photon_sources;
    if (sources.n == 0) return false;
    std::uint32_t index = draw_alias(sources.table, sources.n, source);
    float weight = move(index, place, direction);
    if (index + 1 == sources.n) {
        ray.direction = sphere_direction(direction);
        ray.power = scene.background * (4 * kPi * enter_box(around, place, ray));
    } else if (!emit_from<kPatches>(scene, scene.lights[index], around, place, direction, ray)) {
        return false;
    }
    ray.power *= weight / sources.table[index].probability;
    ray.source = index;
    return true;
}

TL_DEVICE_END
