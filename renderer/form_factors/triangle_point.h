// A triangle's area, and points distributed uniformly over it.
#pragma once

#include <cmath>

#include "renderer/form_factors/surface_samples.h"

namespace tl {

/// A triangle in world space.
struct WorldTriangle {
    vec3 a, b, c;

    /// The area, m^2; 0 for invalid triangles.
    [[nodiscard]] double area() const {
        float area = glm::length(glm::cross(b - a, c - a)) / 2;
        return std::isfinite(area) ? area : 0;
    }
    /// Maps (r0, r1) in the unit square to the triangle (Turk 1990, in Graphics Gems).
    [[nodiscard]] SurfaceSample point(float r0, float r1) const {
        float root = std::sqrt(r0);
        return {(1 - root) * a + root * (1 - r1) * b + root * r1 * c, 0,
                glm::normalize(glm::cross(b - a, c - a))};
    }
};

}  // namespace tl
