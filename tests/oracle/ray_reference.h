// Admissible hits of rays, from tests of every triangle in double precision: the triangles that a
// ray surely hits, and those that it may hit because rounding decides at an edge. So tests need no
// tolerated fraction of wrong rays.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "accel/primitives.h"

namespace tl::test {

class RayReference {
  public:
    RayReference(const std::vector<vec3>& positions, const std::vector<glm::uvec3>& triangles,
                 std::span<const Ray> rays)
        : meets_(rays.size()) {
        for (std::size_t r = 0; r < rays.size(); ++r)
            for (std::uint32_t i = 0; i < triangles.size(); ++i)
                add(r, rays[r], i, positions[triangles[i].x], positions[triangles[i].y],
                    positions[triangles[i].z]);
    }

    /// The error in the hit of ray `r`, or "" if it is admissible.
    [[nodiscard]] std::string fault_of_hit(std::size_t r, const Hit& hit) const {
        const Meeting* met = nullptr;
        for (auto& m : meets_[r])
            if (m.triangle == hit.primitive) met = &m;
        if (hit.found() && !met) return "meets a triangle that it passes by";
        if (hit.found() && std::abs(hit.t - met->t) > met->tolerance)
            return "t is " + std::to_string(hit.t) + ", not " + std::to_string(met->t);
        for (auto& m : meets_[r]) {
            if (!m.is_sure) continue;
            if (!hit.found()) return "misses triangle " + std::to_string(m.triangle);
            if (m.t + m.tolerance < met->t - met->tolerance)
                return "overlooks the nearer triangle " + std::to_string(m.triangle);
        }
        return "";
    }
    [[nodiscard]] std::string fault_of_occlusion(std::size_t r, bool occluded) const {
        bool is_sure =
            std::any_of(meets_[r].begin(), meets_[r].end(), [](auto& m) { return m.is_sure; });
        if (is_sure && !occluded) return "is not occluded, but should be";
        if (meets_[r].empty() && occluded) return "is occluded by nothing";
        return "";
    }
    [[nodiscard]] std::size_t n_sure_hits() const {
        return static_cast<std::size_t>(std::count_if(meets_.begin(), meets_.end(), [](auto& list) {
            return std::any_of(list.begin(), list.end(), [](auto& m) { return m.is_sure; });
        }));
    }

  private:
    struct Meeting {
        std::uint32_t triangle;
        bool is_sure;
        double t, tolerance;
    };

    void add(std::size_t r, const Ray& ray, std::uint32_t triangle, glm::dvec3 a, glm::dvec3 b,
             glm::dvec3 c) {
        glm::dvec3 origin = ray.origin, direction = ray.direction;
        glm::dvec3 edge1 = b - a, edge2 = c - a, normal = glm::cross(edge1, edge2);
        double area = glm::length(normal);
        double longest = std::max({glm::length(edge1), glm::length(edge2), glm::length(c - b)});
        double scale = std::max({glm::length(a), glm::length(b), glm::length(c),
                                 glm::length(origin), glm::length(a - origin)});
        double cosine = area > 0 ? std::abs(glm::dot(normal, direction)) / area : 0;
        // Edge-on or degenerate triangles are hit only because of rounding.
        if (!(area > 0) || cosine < 1e-5) return;
        double determinant = -glm::dot(direction, normal);
        glm::dvec3 to_origin = origin - a, q = glm::cross(to_origin, direction);
        double t = glm::dot(normal, to_origin) / determinant;
        double v = glm::dot(edge2, q) / determinant, w = -glm::dot(edge1, q) / determinant;
        double u = 1 - v - w;
        // Bounds of single-precision rounding errors across the triangle and along the ray.
        double rim = 1e-5 + 3e-6 * scale / (area / longest) / cosine;
        double tolerance = 1e-5 * scale / cosine;
        double inside = std::min({u, v, w});
        if (!(inside >= -rim) || t < ray.t_min - tolerance || t > ray.t_max + tolerance) return;
        bool is_sure = inside >= rim && t > ray.t_min + tolerance && t < ray.t_max - tolerance;
        meets_[r].push_back({triangle, is_sure, t, tolerance});
    }

    std::vector<std::vector<Meeting>> meets_;
};

}  // namespace tl::test
