// Direct lighting at eight shading points: lights.h and direct_light.h for packets.
#pragma once

#include "renderer/shading/camera_rays8.h"
#include "renderer/shading/direct_light.h"
#include "renderer/whitted/packets/optics8.h"
#include "renderer/whitted/splitting.h"

TL_DEVICE_BEGIN

/// LightSample for eight lanes.
struct LightSample8 {
    Vec3x8 direction;
    Float8 distance;
    Vec3x8 radiance;
    Float8 inverse_density;
    Float8 inverse_distance;
};

inline Mask8 sample_rectangle_lights(const LightData& light, Vec3x8 p, Points8 r, Mask8 active,
                                     LightSample8& sample) {
    Vec3x8 to_light = fused(r.y, light.edge_v, fused(r.x, light.edge_u, light.position)) - p;
    Float8 distance2 = fused_dot(to_light, to_light);
    sample.distance = square_root(distance2);
    sample.inverse_distance = Float8(1.0f) / sample.distance;
    sample.direction = sample.inverse_distance * to_light;
    Float8 cos_light = -fused_dot(Vec3x8(light.normal), sample.direction);
    sample.radiance = light.radiance;
    sample.inverse_density = cos_light * Float8(light.area) / distance2;
    return active & (distance2 > Float8(0.0f)) & (cos_light > Float8(0.0f));
}

inline Mask8 sample_point_lights(const LightData& light, Vec3x8 p, Mask8 active,
                                 LightSample8& sample) {
    Vec3x8 to_light = Vec3x8(light.position) - p;
    Float8 distance2 = fused_dot(to_light, to_light);
    sample.distance = square_root(distance2);
    sample.inverse_distance = Float8(1.0f) / sample.distance;
    sample.direction = sample.inverse_distance * to_light;
    sample.radiance = Float8(1.0f) / distance2 * Vec3x8(light.radiance);
    sample.inverse_density = Float8(1.0f);
    return active & (distance2 > Float8(0.0f));
}

/// Samples a source for the active lanes; returns the lanes at which its light can arrive. The
/// rarer kinds of light handle lanes one by one.
inline Mask8 sample_lights(const LightData& light, Vec3x8 p, Points8 r, Mask8 active,
                           LightSample8& sample) {
    switch (light.kind) {
        case LightKind::directional:
            sample = {Vec3x8(-light.normal), Float8(kInfinity), Vec3x8(light.radiance),
                      Float8(1.0f), Float8(0.0f)};
            return active;
        case LightKind::rectangle:
            return sample_rectangle_lights(light, p, r, active, sample);
        case LightKind::point:
            return sample_point_lights(light, p, active, sample);
        default:
            break;
    }
    alignas(32) std::uint32_t arrives[8] = {};
    sample = {Vec3x8(vec3(0, 0, 1)), Float8(1.0f), Vec3x8(vec3(0)), Float8(1.0f), Float8(1.0f)};
    for_lanes(active, [&](int i) {
        LightSample one;
        if (!sample_light(light, p.lane(i), r.x.lane(i), r.y.lane(i), one)) return;
        arrives[i] = 1;
        sample.direction.set_lane(i, one.direction);
        sample.distance.set_lane(i, one.distance);
        sample.radiance.set_lane(i, one.radiance);
        sample.inverse_density.set_lane(i, one.inverse_density);
        sample.inverse_distance.set_lane(i, one.inverse_distance);
    });
    return Int8::load(arrives) == Int8(1);
}

/// ShadingContext for eight lanes.
struct LitPlace8 {
    Int8 material;
    Vec3x8 albedo;
    Vec3x8 position, origin;
    Vec3x8 normal, horizon_normal;
    Vec3x8 to_viewer;
    Int8 media;
    Mask8 is_phong;
};

/// reflected_fraction for lanes whose cosine is above 0.
inline Vec3x8 reflected_fractions(const SceneView& scene, const LitPlace8& place, Vec3x8 to_light,
                                  Float8 cosine, Mask8 active) {
    Vec3x8 value = Float8(1 / kPi) * place.albedo;
    for_lanes(active & place.is_phong, [&](int i) {
        const MaterialData& m = scene.materials[place.material.lane(i)];
        vec3 direction = to_light.lane(i), normal = place.normal.lane(i);
        vec3 mirrored = 2 * cosine.lane(i) * normal - direction;
        float lobe = maximum(glm::dot(mirrored, place.to_viewer.lane(i)), 0.0f);
        value.set_lane(i, value.lane(i) +
                              m.specular * ((m.exponent + 2) / (2 * kPi) * powf(lobe, m.exponent)));
    });
    return cosine * value;
}

/// straight_reflectance for eight lanes.
inline Float8 straight_reflectance(Float8 cosine, Float8 eta, Float8& cos_t) {
    Float8 one(1.0f), zero(0.0f);
    eta = minimum(eta, one / eta);
    cos_t = square_root(maximum(fused(-(eta * eta), fused(-cosine, cosine, one), one), zero));
    return fresnel_dielectric(cosine, cos_t, eta);
}

/// LightPath for eight lanes.
struct LightPath8 {
    Ray8 ray;
    Int8 media;
    Vec3x8 transmittance;
};

/// Multiplies `transmittance` by the transmittance over `distance` in the media of the active
/// lanes. Lanes without media that leave a surface from inside use the absorption of its material.
inline void absorb(const SceneView& scene, const LightPath8& light, Float8 distance, Int8 material,
                   Mask8 from_inside, Mask8 active, Vec3x8& transmittance) {
    unsigned inside = from_inside.lanes();
    for_lanes(active & (from_inside | without(active, light.media == Int8(0))), [&](int k) {
        Media media{light.media.lane(k)};
        float way = distance.lane(k);
        vec3 left(1);
        if (media.current(scene))
            left = absorbed(scene, media, way);
        else if (inside >> k & 1u)
            left = absorbed(scene.materials[material.lane(k)].absorption, way);
        if (left != vec3(1)) transmittance.set_lane(k, transmittance.lane(k) * left);
    });
}

/// pass_through_glass for the active lanes, whose hits lie on glass.
inline void pass_through_glass(const SceneView& scene, const Hit8& hit, Int8 material,
                               LightPath8& light, Mask8 active) {
    Ray8& ray = light.ray;
    Float8 one(1.0f), zero(0.0f);
    Surface8 s = surfaces_at(scene, ray.origin, ray.direction, hit.t, hit.u, hit.v, hit.primitive,
                             material, active);
    Float8 cosine = minimum(fused_dot(s.geometric_normal, ray.direction), one);
    Mask8 from_inside = active & (cosine > zero);
    Interface8 face = interfaces_at(scene, light.media, material, from_inside, active);
    Float8 cos_t;
    Float8 reflected = straight_reflectance(absolute(cosine), face.eta, cos_t);
    Vec3x8 transmission = material_vec3(scene, material, word_of(&MaterialData::transmission));
    light.transmittance =
        select(active & face.is_real, light.transmittance * ((one - reflected) * transmission),
               light.transmittance);
    Mask8 is_slab = without(from_inside & face.is_real, s.is_sphere | is_smooth(s));
    if (scene.media_matter)
        absorb(scene, light, select(is_slab, hit.t * (cosine / cos_t), hit.t), material,
               from_inside, active, light.transmittance);
    light.media = select(active, face.beyond, light.media);
    Vec3x8 beyond = select(from_inside, s.geometric_normal, -s.geometric_normal);
    Vec3x8 end = fused(ray.t_max, ray.direction, ray.origin);
    ray.origin = start_of_rays(s, s.position, beyond);
    ray.t_min = zero;
    ray.t_max = select(ray.t_max < Float8(kInfinity), fused_dot(end - ray.origin, ray.direction),
                       ray.t_max);
}

/// light_that_passes for eight lanes. Adds the active lanes' rays to `n_rays`.
inline Vec3x8 light_that_passes(const Bvh8PacketTracer& tracer, const SceneView& scene,
                                const Ray8& shadow, Int8 media, Mask8 active, Int8& n_rays) {
    Vec3x8 zero(vec3(0));
    LightPath8 light{shadow, media, vec3(1)};
    auto count = [&](Mask8 lanes) { n_rays = n_rays + select(lanes, Int8(1), Int8(0)); };
    auto arrives = [&](Mask8 lanes) {
        if (scene.media_matter && lanes.any())
            absorb(scene, light, light.ray.t_max, Int8(0), without(lanes, lanes), lanes,
                   light.transmittance);
    };
    if (!scene.glass_passes_light) {
        count(active);
        Mask8 occluded = tracer.occluded(shadow, active);
        arrives(without(active, occluded));
        return select(occluded, zero, light.transmittance);
    }
    for (std::uint32_t i = 0; i < kMostGlassInLight && active.any(); ++i) {
        count(active);
        Hit8 hit = tracer.closest(light.ray, active);
        Mask8 found = active & hit.found();
        arrives(without(active, found));
        active = found;
        Int8 material = materials_of(scene, hit.primitive, active);
        auto dielectric = Int8(static_cast<std::int32_t>(MaterialKind::dielectric));
        Mask8 on_glass = active & (material_kind(scene, material) == dielectric);
        light.transmittance = select(without(active, on_glass), zero, light.transmittance);
        active = on_glass;
        if (active.any()) pass_through_glass(scene, hit, material, light, active);
    }
    return select(active, zero, light.transmittance);
}

inline Float8 one_norms(Vec3x8 v) {
    return absolute(v.x) + absolute(v.y) + absolute(v.z);
}

/// ray_to_light for eight lanes.
inline Ray8 rays_to_light(const LightSample8& sample, const LitPlace8& place) {
    Vec3x8 offset = place.position - place.origin;
    Ray8 rays{};
    rays.origin = place.origin;
    rays.direction = fused(sample.inverse_distance, offset, sample.direction);
    Float8 margin = fused(Float8(0x1p-21f), one_norms(place.position), one_norms(offset));
    rays.t_max = fused_minus(sample.distance, Float8(0.9999f), margin);
    return rays;
}

/// next_shadow_ray for the active lanes; returns those that get a ray. `pixel` and `path` select
/// the rays' random numbers.
inline Mask8 next_shadow_rays(LightCursor& at, const PathFrame& frame, const LitPlace8& place,
                              int n_samples, Int8 pixel, Int8 path, Mask8 active, Ray8& shadow,
                              Vec3x8& radiance) {
    std::uint32_t number = at.light, point = at.point;
    const LightData& light = frame.scene.lights[number];
    std::uint32_t n = shadow_rays_of(light, n_samples);
    at.advance(n);
    Points8 r{Float8(0.0f), Float8(0.0f)};
    if (is_wide(light))
        r = sample_points(frame.pattern, frame.seed, pixel, path, number, frame.sample * n + point);
    LightSample8 sample;
    Mask8 lit = sample_lights(light, place.position, r, active, sample);
    Float8 zero(0.0f), cosine = fused_dot(place.normal, sample.direction);
    lit = lit & (fused_dot(place.horizon_normal, sample.direction) > zero) & (cosine > zero);
    if (!lit.any()) return lit;
    Vec3x8 fraction = reflected_fractions(frame.scene, place, sample.direction, cosine, lit);
    lit = lit & (largest_part(fraction) > zero);
    shadow = rays_to_light(sample, place);
    radiance =
        Float8(1 / static_cast<float>(n)) * (fraction * (sample.inverse_density * sample.radiance));
    return lit;
}

/// direct_light for eight lanes.
inline Vec3x8 direct_light(const Bvh8PacketTracer& tracer, const WhittedFrame& frame,
                           const LitPlace8& place, Int8 pixel, Int8 path, Mask8 active,
                           Int8& n_rays) {
    Vec3x8 sum(vec3(0));
    for (LightCursor at; !at.done(frame.scene);) {
        Ray8 shadow;
        Vec3x8 radiance;
        Mask8 lit = next_shadow_rays(at, frame, place, frame.config.light_samples, pixel, path,
                                     active, shadow, radiance);
        if (!lit.any()) continue;
        if (frame.config.shadows)
            radiance =
                radiance * light_that_passes(tracer, frame.scene, shadow, place.media, lit, n_rays);
        sum = sum + select(lit, radiance, Vec3x8(vec3(0)));
    }
    return sum;
}

TL_DEVICE_END
