// The diffuse lobe: the same radiance in all directions.
#pragma once

#include "renderer/optics/directions.h"

namespace tl {

struct LambertLobe {
    vec3 albedo;

    /// The BRDF, 1/sr.
    [[nodiscard]] TL_HD vec3 eval() const { return albedo / kPi; }
    /// Density of `sample` for a direction at that cosine to the normal, 1/sr.
    [[nodiscard]] TL_HD static float pdf(float cosine) { return maximum(cosine, 0.0f) / kPi; }
    [[nodiscard]] TL_HD static vec3 sample(vec3 normal, vec2 r) {
        return cosine_direction(normal, r);
    }
};

}  // namespace tl
