// Direct light at a surface: every source is asked for one sample, with a shadow ray.
#pragma once

#include "accel/tracer.h"
#include "renderer/shading/cutouts.h"
#include "renderer/shading/lights.h"
#include "renderer/shading/media.h"
#include "renderer/shading/optics.h"
#include "renderer/shading/sampler.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// The value of the BRDF times the cosine, for diffuse and Phong materials. The Phong lobe is
/// normalised, (n + 2) / 2 pi, as Lafortune & Willems 1994.
TL_D inline vec3 reflected_fraction(const MaterialData& m, vec3 albedo, vec3 normal, vec3 to_viewer,
                                    vec3 to_light) {
    float cosine = fused_dot(normal, to_light);
    if (cosine <= 0) return vec3(0);
    vec3 value = albedo / kPi;
    if (m.kind == MaterialKind::phong) {
        vec3 mirrored = 2 * cosine * normal - to_light;
        float lobe = maximum(glm::dot(mirrored, to_viewer), 0.0f);
        value += m.specular * ((m.exponent + 2) / (2 * kPi) * powf(lobe, m.exponent));
    }
    return value * cosine;
}

/// The part of a light's light that comes along a shadow ray. Glass lets it through straight on,
/// tinted, weakened by absorption and by its surfaces' reflection, each as if between air and
/// glass; what refraction would gather elsewhere is for photons. Holes let it through as they are.
/// Adds its rays to `n_rays`.
template <class Tracer>
TL_D vec3 light_that_passes(const Tracer& tracer, const SceneView& scene, Ray shadow,
                            std::uint32_t& n_rays) {
    constexpr int kMostSurfaces = 32;
    if (!scene.glass_passes_light && !scene.has_cutouts) {
        ++n_rays;
        announce(tracer, RayPurpose::shadow);
        return vec3(tracer.occluded(shadow) ? 0.0f : 1.0f);
    }
    // What is nearest is asked at once: a ray that nothing stops costs as much either way.
    vec3 passed(1);
    for (int i = 0; i < kMostSurfaces; ++i) {
        ++n_rays;
        announce(tracer, RayPurpose::shadow);
        Hit hit = closest_solid(tracer, scene, shadow);
        if (!hit.found()) return passed;
        Surface s = surface_at(scene, shadow, hit);
        const MaterialData& m = *s.material;
        if (m.kind != MaterialKind::dielectric || !scene.glass_passes_light) return vec3(0);
        float cosine = fused_dot(s.geometric_normal, shadow.direction);
        bool from_inside = cosine > 0;
        if (from_inside) passed *= absorbed(m.absorption, hit.t);
        vec3 normal = from_inside ? -s.geometric_normal : s.geometric_normal;
        float eta = from_inside ? m.ior : 1 / m.ior;
        vec3 refracted;
        float cos_t;
        // Light along this line would be reflected totally; it came by another one.
        if (!refract_direction(shadow.direction, normal, eta, refracted, cos_t)) return vec3(0);
        passed *= m.transmission * (1 - fresnel_dielectric(fabsf(cosine), cos_t, eta));
        shadow.origin = start_of_rays(s, s.position, -normal);
        shadow.from = s.place;
        shadow.t_min = 0;
        shadow.t_max -= hit.t;
    }
    return vec3(0);
}

/// A place that is lit, and how it is seen.
struct LitPlace {
    const MaterialData* material;
    vec3 albedo;
    vec3 position;
    vec3 origin;        ///< of shadow rays
    vec3 normal;        ///< unit, for shading
    vec3 horizon;       ///< unit; what comes from below its plane does not arrive
    vec3 to_viewer;     ///< unit
    PatchPlace from{};  ///< of shadow rays, on a patch
};

/// Radiance that leaves towards the viewer by direct light from every source, `n_samples`
/// shadow rays to each area light and the environment, or none traced at all without `shadows`.
/// Adds its rays to `n_rays`.
template <class Tracer>
TL_D vec3 direct_light(const Tracer& tracer, const SceneView& scene, const LitPlace& place,
                       int n_samples, bool shadows, Sampler& sampler, std::uint32_t& n_rays) {
    vec3 sum(0);
    for (std::uint32_t k = 0; k < scene.n_lights; ++k) {
        const LightData& light = scene.lights[k];
        bool wide = is_wide(light);
        int n = wide ? n_samples : 1;
        SamplePair places = sampler.next_pair();
        std::uint32_t first = sampler.sample() * static_cast<std::uint32_t>(n);
        for (int j = 0; j < n; ++j) {
            LightSample sample;
            vec2 r = wide ? places.point(first + static_cast<std::uint32_t>(j)) : vec2(0);
            if (!sample_light(light, place.position, r.x, r.y, sample)) continue;
            if (fused_dot(place.horizon, sample.direction) <= 0) continue;
            vec3 fraction = reflected_fraction(*place.material, place.albedo, place.normal,
                                               place.to_viewer, sample.direction);
            if (fraction == vec3(0)) continue;
            Ray shadow;
            shadow.origin = place.origin;
            shadow.from = place.from;
            shadow.direction = sample.direction;
            // Stops short of the source, whose own surface is in the tree.
            shadow.t_max = sample.distance * 0.9999f;
            vec3 passed = shadows ? light_that_passes(tracer, scene, shadow, n_rays) : vec3(1);
            sum += passed * fraction * sample.irradiance / static_cast<float>(n);
        }
    }
    return sum;
}

TL_DEVICE_END
