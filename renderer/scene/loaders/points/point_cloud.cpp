#include "renderer/scene/loaders/points/point_cloud.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/splats/close_surface.h"

namespace tl {

std::vector<vec3> greys_of(std::span<const float> intensities) {
    constexpr std::size_t kOutliers = 50;  // one in this many at either end
    std::size_t n = intensities.size(), n_outside = n / kOutliers;
    std::vector<vec3> greys(n, vec3(1));
    if (n == 0) return greys;
    std::vector<float> sorted(intensities.begin(), intensities.end());
    auto quantile = [&](std::size_t place) {
        auto at = sorted.begin() + static_cast<std::ptrdiff_t>(place);
        std::ranges::nth_element(sorted, at);
        return *at;
    };
    float lo = quantile(n_outside), hi = quantile(n - 1 - n_outside);
    if (!(hi > lo)) return greys;
    // In double, since the difference of two floats can be beyond the largest one.
    double scale = 1 / (double{hi} - double{lo});
    std::ranges::transform(intensities, greys.begin(), [&](float intensity) {
        return vec3(std::clamp((double{intensity} - double{lo}) * scale, 0.0, 1.0));
    });
    return greys;
}

void normalize_normals(std::vector<vec3>& normals) {
    bool has_some = false;
    for (vec3& normal : normals) {
        // In double, since the square of a long or short one can be beyond the floats.
        double length = glm::length(glm::dvec3(normal));
        bool is_given = length > 0 && std::isfinite(length);
        normal = is_given ? vec3(glm::dvec3(normal) / length) : vec3(0);
        has_some = has_some || is_given;
    }
    if (!has_some) (void)std::exchange(normals, {});
}

void tidy_emission(std::vector<vec3>& emission) {
    bool has_some = false;
    for (vec3& of_point : emission) {
        for (int k = 0; k < 3; ++k)
            of_point[k] = of_point[k] > 0 && std::isfinite(of_point[k])
                              ? std::min(of_point[k], kLargestEmission)
                              : 0.0f;
        has_some = has_some || of_point != vec3(0);
    }
    if (!has_some) (void)std::exchange(emission, {});
}

namespace {

/// Makes splats of those points of a cloud that have a normal.
class SplatMaker {
  public:
    SplatMaker(const PointCloud& cloud, std::int32_t material)
        : cloud_(cloud), material_(material) {
        if (!cloud.normals.empty()) splats_.reserve(cloud.normals.size());
    }
    /// False if the point has no normal.
    [[nodiscard]] bool take(std::size_t i, vec3 place, vec3 color, vec3 emission) {
        if (cloud_.normals.empty() || cloud_.normals[i] == vec3(0)) return false;
        splats_.push_back({.center = place,
                           .normal = cloud_.normals[i],
                           .material = material_,
                           .color = color,
                           .emission = emission});
        return true;
    }
    void add_to(Scene& scene, const std::string& path) {
        if (splats_.empty()) return;
        close_surface(splats_);
        scene.warnings.push_back(
            path + ": " + std::to_string(splats_.size()) +
            (splats_.size() == 1 ? " point is shown as a splat" : " points are shown as splats") +
            " of " + words_of_radii(splats_));
        scene.splats.insert(scene.splats.end(), splats_.begin(), splats_.end());
    }

  private:
    const PointCloud& cloud_;
    std::int32_t material_;
    std::vector<Splat> splats_;
};

}  // namespace

void add_cloud(Scene& scene, PointCloud cloud, const std::string& path, std::size_t n_bytes,
               bool with_materials, const ReadProgress& progress) {
    if (cloud.n_lost > 0)
        scene.warnings.push_back(path + ": " + std::to_string(cloud.n_lost) +
                                 " points without finite coordinates are left out");
    if (cloud.n_withheld > 0)
        scene.warnings.push_back(path + ": " + std::to_string(cloud.n_withheld) +
                                 " points are marked as withheld and left out");
    if (cloud.n_clear > 0)
        scene.warnings.push_back(path + ": " + std::to_string(cloud.n_clear) +
                                 " points are nearly transparent and left out");
    if (cloud.positions.empty())
        throw UserError(path + (cloud.n_withheld > 0 ? ": all of its points are marked as withheld"
                                : cloud.n_clear > 0  ? ": none of its points is opaque"
                                : cloud.n_lost > 0   ? ": none of its points has finite coordinates"
                                                     : ": has no points"));
    if (cloud.positions.size() > std::size_t{kMostTriangles})
        throw UserError(path + ": more than 1,000,000,000 points");
    if (cloud.colors.empty()) cloud.colors = greys_of(cloud.intensities);
    decode_vertex_colors(cloud.colors);
    tidy_emission(cloud.emission);
    std::vector<vec3> places = recentred(cloud.positions, scene);
    (void)std::exchange(cloud.positions, {});
    complete_cloud(scene, cloud, places, path, progress);
    std::int32_t plain = with_materials && !cloud.colors.empty() ? vertex_color_material(scene) : 0;
    PointsAndLines parts(scene, n_bytes);
    SplatMaker splats(cloud, plain);
    if (cloud.normals.empty()) parts.reserve_points(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        vec3 color = cloud.colors.empty() ? vec3(1) : cloud.colors[i];
        vec3 emission = cloud.emission.empty() ? vec3(0) : cloud.emission[i];
        if (!splats.take(i, places[i], color, emission))
            parts.add_point(places[i], plain, color, emission);
    }
    (void)std::exchange(places, {});  // assigning {} would keep the memory
    (void)std::exchange(cloud.colors, {});
    (void)std::exchange(cloud.emission, {});
    splats.add_to(scene, path);
    parts.add_to(scene, path);
}

}  // namespace tl
