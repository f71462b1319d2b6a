// The GGX distribution of microfacet normals (Walter et al. 2007, "Microfacet models for refraction
// through rough surfaces"), with Smith's shadowing, and sampling of visible normals (Heitz 2018,
// "Sampling the GGX distribution of visible normals"). Isotropic; all directions are in the frame
// of the surface, whose normal is z.
#pragma once

#include "renderer/optics/beta_function.h"
#include "renderer/optics/directions.h"

namespace tl {

struct GgxNormals {
    /// Smallest alpha. Below it, the surface looks the same as a smooth one, and terms would
    /// overflow.
    static constexpr float kLeastAlpha = 1e-3f;

    /// The distribution for a roughness in [0, 1].
    [[nodiscard]] TL_HD static GgxNormals of_roughness(float roughness) {
        return {maximum(roughness * roughness, kLeastAlpha)};
    }

    float alpha;  ///< about the root mean square slope; roughness^2

    /// Density of normals, 1/sr. Computed by the tangent of the angle, without cancellation near
    /// the peak.
    [[nodiscard]] TL_HD float density(vec3 m) const {
        float a2 = alpha * alpha;
        float t = m.x * m.x + m.y * m.y + a2 * m.z * m.z;
        return m.z > 0 ? a2 / (kPi * t * t) : 0.0f;
    }
    /// Smith's Lambda: ratio of invisible to visible area of the microsurface in direction `w`.
    [[nodiscard]] TL_HD float hidden(vec3 w) const {
        float tan2 = (w.x * w.x + w.y * w.y) / (w.z * w.z);
        float a = alpha * alpha * tan2;
        // (sqrt(1 + a) - 1) / 2 without cancellation.
        return 0.5f * a / (1 + sqrtf(1 + a));
    }
    /// Smith's G1: fraction of microfacets that are visible from `w`.
    [[nodiscard]] TL_HD float visible(vec3 w) const { return 1 / (1 + hidden(w)); }
    /// Height-correlated G2: fraction visible from both directions, which are on the same side of
    /// the surface.
    [[nodiscard]] TL_HD float visible_both(vec3 a, vec3 b) const {
        return 1 / (1 + hidden(a) + hidden(b));
    }
    /// G2 for refraction: fraction visible from `a` and, through the surface, from `b` on its other
    /// side, where heights are reversed (Heitz et al. 2016, "Multiple-scattering microfacet BSDFs
    /// with the Smith model"). It is less than for independent heights.
    [[nodiscard]] TL_HD float visible_through(vec3 a, vec3 b) const {
        constexpr float kMost = 1e5f;  // none are visible beyond it
        return beta_function(1 + minimum(hidden(a), kMost), 1 + minimum(hidden(b), kMost));
    }
    /// Density of the normals `m` visible from `w`, w.z > 0, 1/sr.
    [[nodiscard]] TL_HD float visible_density(vec3 w, vec3 m) const {
        return visible(w) * maximum(glm::dot(w, m), 0.0f) * density(m) / w.z;
    }
    /// Samples a normal with that density; for w.z < 0, one that is visible from within.
    [[nodiscard]] TL_HD vec3 sample_visible(vec3 w, vec2 r) const {
        vec3 stretched = glm::normalize(vec3(alpha * w.x, alpha * w.y, w.z));
        // A point of a disk that faces the stretched direction and is partly hidden by the horizon.
        float flat = stretched.x * stretched.x + stretched.y * stretched.y;
        vec3 a = flat > 0 ? vec3(-stretched.y, stretched.x, 0) / sqrtf(flat) : vec3(1, 0, 0);
        vec3 b = glm::cross(stretched, a);
        vec2 on = sqrtf(r.x) * point_of_circle(2 * r.y);
        float x = on.x, y = on.y;
        float share = 0.5f * (1 + stretched.z);
        y = (1 - share) * sqrtf(maximum(0.0f, 1 - x * x)) + share * y;
        float height = sqrtf(maximum(0.0f, 1 - x * x - y * y));
        vec3 normal = x * a + y * b + height * stretched;
        return glm::normalize(vec3(alpha * normal.x, alpha * normal.y, maximum(1e-7f, normal.z)));
    }
};

}  // namespace tl
