#include "renderer/scene/points/cloud_surface.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "renderer/scene/points/cloud_areas.h"
#include "renderer/scene/points/cloud_normals.h"
#include "renderer/scene/points/cloud_orientation.h"
#include "renderer/scene/points/cloud_outliers.h"
#include "renderer/scene/points/in_chunks.h"

namespace tl {
namespace {

/// Whether all neighbours of some point coincide with it.
bool has_crowded_places(const CloudNeighbours& cloud) {
    std::vector<std::uint8_t> is_crowded((cloud.size() + kChunkOfPoints - 1) / kChunkOfPoints, 0);
    for_each_chunk(cloud.size(), [&](std::size_t chunk, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            bool is_alone = true;
            cloud.for_each_near(
                i, [&](std::uint32_t, vec3, float square) { is_alone = is_alone && square == 0; });
            if (is_alone) is_crowded[chunk] = 1;
        }
    });
    return std::ranges::count(is_crowded, 1) > 0;
}

/// Distinct positions of the points, and the one of each point.
struct Places {
    std::vector<vec3> places;
    std::vector<std::uint32_t> of_point, n_points;

    explicit Places(std::span<const vec3> points) : of_point(points.size()) {
        std::vector<std::uint32_t> order(points.size());
        std::iota(order.begin(), order.end(), 0u);
        auto key = [&](std::uint32_t i) {
            return std::tuple(points[i].x, points[i].y, points[i].z, i);
        };
        std::ranges::sort(order, {}, key);
        for (std::uint32_t i : order) {
            if (places.empty() || places.back() != points[i]) {
                places.push_back(points[i]);
                n_points.push_back(0);
            }
            of_point[i] = static_cast<std::uint32_t>(places.size()) - 1;
            ++n_points.back();
        }
    }
};

/// Reorders values from the cloud's order to that in which the points were given.
template <class T>
std::vector<T> in_given_order(const CloudNeighbours& cloud, const std::vector<T>& values) {
    std::vector<T> given(values.size());
    for_each_point(values.size(), [&](std::size_t i) { given[cloud.order[i]] = values[i]; });
    return given;
}

class SurfaceEstimate {
  public:
    SurfaceEstimate(const CloudSurfaceConfig& config, const CloudProgress& progress)
        : config_(config), progress_(progress) {}

    CloudSurface of(std::span<const vec3> points, std::span<const vec3> normals) {
        CloudNeighbours cloud =
            find_neighbours(points, config_.device ? *config_.device : *devices()[0],
                            [&](double share) { tell(0.5 * share); });
        if (may_share_ && has_crowded_places(cloud)) {
            may_share_ = false;
            return of_shared_places(points, normals);
        }
        CloudSurface surface;
        auto is_outlier = find_outliers(cloud, config_.outlier_sigmas);
        tell(0.55);
        auto found = estimate_normals(cloud, config_.up);
        tell(0.75);
        std::vector<vec3> given(normals.size());
        for_each_point(normals.size(), [&](std::size_t i) { given[i] = normals[cloud.order[i]]; });
        orient_normals(cloud, {is_outlier, given, config_.seen_from, config_.up}, found);
        tell(0.9);
        auto areas = estimate_areas(cloud, found);
        tell(1);
        surface.normals = in_given_order(cloud, found);
        surface.areas = in_given_order(cloud, areas);
        surface.is_outlier = in_given_order(cloud, is_outlier);
        surface.n_outliers = static_cast<std::size_t>(std::ranges::count(is_outlier, 1));
        return surface;
    }

  private:
    /// Estimates the surface at the distinct positions. Coincident points have the normal of their
    /// position and divide its area.
    CloudSurface of_shared_places(std::span<const vec3> points, std::span<const vec3> normals) {
        Places shared(points);
        std::vector<vec3> known(normals.empty() ? 0 : shared.places.size(), vec3(0));
        for (std::size_t i = 0; i < normals.size(); ++i)
            if (normals[i] != vec3(0)) known[shared.of_point[i]] = normals[i];
        CloudSurface of_places = of(shared.places, known), surface;
        std::size_t n = points.size();
        surface.normals.resize(n);
        surface.areas.resize(n);
        surface.is_outlier.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t place = shared.of_point[i];
            bool is_given = !normals.empty() && normals[i] != vec3(0);
            surface.normals[i] = is_given ? normals[i] : of_places.normals[place];
            surface.areas[i] = of_places.areas[place] / static_cast<float>(shared.n_points[place]);
            surface.is_outlier[i] = of_places.is_outlier[place];
            surface.n_outliers += surface.is_outlier[i];
        }
        return surface;
    }
    void tell(double share) const {
        if (progress_) progress_(share);
    }

    const CloudSurfaceConfig& config_;
    const CloudProgress& progress_;
    bool may_share_ = true;  ///< coincident points are not yet merged
};

}  // namespace

CloudSurface surface_of_cloud(std::span<const vec3> points, std::span<const vec3> normals,
                              const CloudSurfaceConfig& config, const CloudProgress& progress) {
    return SurfaceEstimate(config, progress).of(points, normals);
}

}  // namespace tl
