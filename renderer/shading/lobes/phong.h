// The Phong lobe around the mirrored direction, normalised to the albedo `specular` at normal
// incidence (Lafortune & Willems 1994, "Using the modified Phong reflectance model for physically
// based rendering"). It loses energy at grazing angles.
#pragma once

#include "renderer/optics/directions.h"
#include "renderer/optics/fresnel.h"

namespace tl {

struct PhongLobe {
    vec3 specular;
    float exponent;

    /// The BRDF, 1/sr; directions are unit and point away from the surface. `cosine`: between
    /// `to_light` and the normal.
    [[nodiscard]] TL_HD vec3 eval(vec3 normal, vec3 to_viewer, vec3 to_light, float cosine) const {
        vec3 mirrored = 2 * cosine * normal - to_light;
        float lobe = maximum(glm::dot(mirrored, to_viewer), 0.0f);
        return specular * ((exponent + 2) / (2 * kPi) * powf(lobe, exponent));
    }
    /// Density of `sample` for `to_light`, 1/sr.
    [[nodiscard]] TL_HD float pdf(vec3 normal, vec3 to_viewer, vec3 to_light) const {
        vec3 mirrored = -reflect_direction(to_viewer, normal);
        float lobe = maximum(glm::dot(mirrored, to_light), 0.0f);
        return (exponent + 1) / (2 * kPi) * powf(lobe, exponent);
    }
    /// Estimate of the albedo by a sampled direction; its mean over `sample` is the albedo.
    [[nodiscard]] TL_HD vec3 albedo_by(vec3 normal, vec3 drawn) const {
        float cosine = maximum(glm::dot(normal, drawn), 0.0f);
        return specular * ((exponent + 2) / (exponent + 1) * cosine);
    }
    /// Samples a direction around the mirrored one, which may lie below the surface.
    [[nodiscard]] TL_HD vec3 sample(vec3 normal, vec3 to_viewer, vec2 r) const {
        // 1 - cosine without cancellation where the lobe is narrow.
        float versine = -expm1f(log1pf(-r.x) / (exponent + 1)), cosine = 1 - versine;
        float ring = sqrtf(maximum(0.0f, versine * (1 + cosine)));
        vec2 on = ring * point_of_circle(2 * r.y);
        vec3 mirrored = -reflect_direction(to_viewer, normal);
        return fused_unit(NormalFrame(mirrored).world({on, cosine}));
    }
};

}  // namespace tl
