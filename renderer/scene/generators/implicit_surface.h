// Closed surfaces of round parts that flow into each other, for figures of one skin: their signed
// distance, and its polygons by naive surface nets (Gibson 1998), even triangles all over.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A cone from ball to ball, both included; a ball where both are one.
struct RoundCone {
    vec3 a{0}, b{0};
    float radius_a = 1, radius_b = 1;
};

class ImplicitSurface {
  public:
    /// Adds a part, which flows into what is there over about `blend`. Triangles take the material
    /// of the part that is nearest.
    void add(const RoundCone& cone, float blend, std::int32_t material);
    /// Adds balls along a curve (Catmull-Rom through `points`), and cones between: xyz and radius.
    void add_tube(std::span<const vec4> points, int n_parts, float blend, std::int32_t material);
    /// Adds the mirror image of all parts since `first` with x of the other sign.
    void mirror(std::size_t first);
    [[nodiscard]] std::size_t size() const { return parts_.size(); }

    /// About `n_triangles`, smooth, closed and with normals.
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
