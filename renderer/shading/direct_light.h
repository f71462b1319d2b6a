// Direct light at a surface: every source is asked for one sample, with a shadow ray.
#pragma once

#include "accel/parallel/random.h"
#include "accel/tracer.h"
#include "renderer/shading/lights.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// The value of the BRDF times the cosine, for diffuse and Phong materials. The Phong lobe is
/// normalised, (n + 2) / 2 pi, as Lafortune & Willems 1994.
TL_D inline vec3 reflected_fraction(const MaterialData& m, vec3 albedo, vec3 normal, vec3 to_viewer,
                                    vec3 to_light) {
    float cosine = glm::dot(normal, to_light);
    if (cosine <= 0) return vec3(0);
    vec3 value = albedo / kPi;
    if (m.kind == MaterialKind::phong) {
        vec3 mirrored = 2 * cosine * normal - to_light;
        float lobe = maximum(glm::dot(mirrored, to_viewer), 0.0f);
        value += m.specular * ((m.exponent + 2) / (2 * kPi) * powf(lobe, m.exponent));
    }
    return value * cosine;
}

/// Radiance that leaves towards the viewer by direct light from every source, `n_samples`
/// stratified shadow rays to each area light and the environment, or none traced at all without
/// `shadows`. `normal` and `side` face the viewer. Adds its rays to `n_rays`.
template <class Tracer>
TL_D vec3 direct_light(const Tracer& tracer, const SceneView& scene, const Surface& surface,
                       vec3 albedo, vec3 normal, vec3 side, vec3 to_viewer, int n_samples,
                       bool shadows, RandomStream& random, std::uint32_t& n_rays) {
    vec3 sum(0);
    vec3 origin = offset_from_surface(surface.position, side);
    for (std::uint32_t k = 0; k < scene.n_lights; ++k) {
        const LightData& light = scene.lights[k];
        int n = shadow_ray_count(light, n_samples);
        for (int j = 0; j < n; ++j) {
            LightSample sample;
            float r1 = (static_cast<float>(j) + random.next()) / static_cast<float>(n);
            float r2 = random.next();
            if (!sample_light(light, surface.position, r1, r2, sample)) continue;
            if (glm::dot(side, sample.direction) <= 0) continue;
            vec3 fraction =
                reflected_fraction(*surface.material, albedo, normal, to_viewer, sample.direction);
            if (fraction == vec3(0)) continue;
            Ray shadow;
            shadow.origin = origin;
            shadow.direction = sample.direction;
            // Stops short of the source, whose own surface is in the tree.
            shadow.t_max = sample.distance * 0.9999f;
            n_rays += shadows;
            if (!shadows || !tracer.occluded(shadow))
                sum += fraction * sample.irradiance / static_cast<float>(n);
        }
    }
    return sum;
}

TL_DEVICE_END
