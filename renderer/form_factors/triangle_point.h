// A triangle's area, and points distributed uniformly over it.
#pragma once

#include <cmath>

#include "renderer/form_factors/surface_samples.h"
#include "renderer/shading/clearance.h"

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
        vec3 across = glm::cross(b - a, c - a), normal = glm::normalize(across);
        cpu::TriangleRounding rounding{
            cpu::largest_of_corners(a, b, c),
            cpu::rounding_of_edges(b - a, c - a, 1 / glm::length(across))};
        return {(1 - root) * a + root * (1 - r1) * b + root * r1 * c, 0, normal,
                rounding.clearance(normal)};
    }
};

}  // namespace tl
