#include "renderer/scene/points/cloud_normals.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/points/in_chunks.h"
#include "renderer/scene/points/plane_fit.h"

namespace tl {
namespace {

using glm::dvec3;

/// Ratio of thickness to width above which points form a layer, not a smooth surface.
constexpr double kThick = 0.08;
/// Factor by which a wider part of a layer has a smaller ratio of thickness to width, at least. On
/// a curved surface, the ratio grows with the width.
constexpr double kFlatter = 0.8;

class NormalEstimate {
  public:
    NormalEstimate(const CloudNeighbours& cloud, vec3 up) : cloud_(cloud), up_(up) {}

    /// Normal of a point. `is_thick` receives whether it is that of a layer.
    [[nodiscard]] vec3 at(std::size_t point, std::uint8_t& is_thick) const {
        PlaneFit::Plane plane = fit(point);
        is_thick = 0;
        if (plane.is_line()) return beside_line(point);
        if (plane.thickness <= kThick * plane.width) return vec3(plane.normal);
        PlaneFit::Plane layer = fit_layer(point, plane);
        if (layer.thickness * plane.width < kFlatter * plane.thickness * layer.width) {
            is_thick = 1;
            return vec3(layer.normal);
        }
        return vec3(plane.normal);
    }
    /// Mean of the normals of a point and its neighbours, where similar normals weigh more.
    [[nodiscard]] vec3 smoothed(std::size_t point, std::span<const vec3> normals) const {
        vec3 sum = normals[point];
        cloud_.for_each_near(point, [&](std::uint32_t other, vec3, float) {
            float alike = glm::dot(normals[other], normals[point]);
            float square = alike * alike;
            sum += square * square * square * alike * normals[other];
        });
        return glm::normalize(sum);
    }

  private:
    /// Fits a plane to the neighbours, whose weight falls with their distance to a quarter.
    [[nodiscard]] PlaneFit::Plane fit(std::size_t point) const {
        float farthest = 0;
        cloud_.for_each_near(point, [&](std::uint32_t, vec3, float square) {
            farthest = std::max(farthest, square);
        });
        PlaneFit fit;
        fit.add(dvec3(0), 1);
        if (farthest == 0) return fit.plane();
        cloud_.for_each_near(point, [&](std::uint32_t, vec3 offset, float square) {
            fit.add(dvec3(offset), 1 - 0.75 * static_cast<double>(square / farthest));
        });
        return fit.plane();
    }

    /// Fits a plane to the neighbours of the neighbours, each counted as often as it is listed.
    /// Points farther from the first plane than most, such as those of another sheet, weigh less.
    [[nodiscard]] PlaneFit::Plane fit_layer(std::size_t point, const PlaneFit::Plane& first) const {
        PlaneFit fit;
        double scale = 1 / (2 * first.thickness);
        auto add = [&](vec3 place) {
            dvec3 offset(place - cloud_.places[point]);
            double off = glm::dot(offset - first.middle, first.normal) * scale;
            fit.add(offset, 1 / (1 + off * off * off * off));
        };
        for (std::uint32_t near : cloud_.of(point)) {
            if (near == CloudNeighbours::kNone) continue;
            for (std::uint32_t other : cloud_.of(near))
                if (other != CloudNeighbours::kNone) add(cloud_.places[other]);
        }
        PlaneFit::Plane plane = fit.plane();
        return plane.is_line() ? first : plane;
    }

    [[nodiscard]] vec3 beside_line(std::size_t point) const {
        dvec3 line(0), up(up_);
        cloud_.for_each_near(point, [&](std::uint32_t, vec3 offset, float) {
            if (dvec3 other(offset); glm::dot(other, other) > glm::dot(line, line)) line = other;
        });
        double length = glm::length(line);
        if (!(length > 0)) return up_;
        line /= length;
        dvec3 normal = up - glm::dot(up, line) * line;
        // A line along `up` takes the axis that is farthest from the line.
        if (glm::length(normal) < 1e-3) {
            dvec3 size = glm::abs(line), axis(0);
            axis[size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2] = 1;
            normal = axis - glm::dot(axis, line) * line;
        }
        return vec3(glm::normalize(normal));
    }

    const CloudNeighbours& cloud_;
    vec3 up_;
};

}  // namespace

std::vector<vec3> estimate_normals(const CloudNeighbours& cloud, vec3 up) {
    std::size_t n = cloud.size();
    std::vector<vec3> normals(n);
    std::vector<std::uint8_t> is_thick(n);
    NormalEstimate estimate(cloud, up);
    for_each_point(n, [&](std::size_t i) { normals[i] = estimate.at(i, is_thick[i]); });
    std::vector<vec3> smooth(n);
    for_each_point(n, [&](std::size_t i) {
        smooth[i] = is_thick[i] ? estimate.smoothed(i, normals) : normals[i];
    });
    return smooth;
}

}  // namespace tl
