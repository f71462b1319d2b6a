// Closed surfaces of smoothly blended round parts, for figures: their signed distance, and a mesh
// of triangles of similar size by naive surface nets (Gibson 1998).
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A round cone: the convex hull of two balls; a ball if both are equal.
struct RoundCone {
    vec3 a{0}, b{0};
    float radius_a = 1, radius_b = 1;
};

class ImplicitSurface {
  public:
    /// Adds a part, which blends with the existing ones over a distance of about `blend`. Triangles
    /// get the material of the nearest part.
    void add(const RoundCone& cone, float blend, std::int32_t material);
    /// Adds cones along a Catmull-Rom curve through `points` (centres in xyz, radii in w).
    void add_tube(std::span<const vec4> points, int n_parts, float blend, std::int32_t material);
    /// Adds the mirror images (x negated) of all parts since `first`.
    void mirror(std::size_t first);
    [[nodiscard]] std::size_t size() const { return parts_.size(); }

    /// A closed mesh of about `n_triangles` triangles with smooth normals.
    [[nodiscard]] Mesh polygons(const char* name, double n_triangles) const;

  private:
    friend class SurfaceNet;
    struct Part {
        RoundCone cone;
        float blend;
        std::int32_t material;
    };
    [[nodiscard]] static float distance(std::span<const Part> parts, vec3 p);
    [[nodiscard]] std::vector<Part> near(vec3 center, float radius) const;
    [[nodiscard]] std::int32_t material_at(vec3 p) const;

    std::vector<Part> parts_;
};

/// A Catmull-Rom spline through `points`, t from 0 at the first to 1 at the last.
[[nodiscard]] vec4 spline_at(std::span<const vec4> points, float t);

}  // namespace tl
