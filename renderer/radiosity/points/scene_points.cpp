#include "renderer/radiosity/points/scene_points.h"

#include <algorithm>
#include <numeric>

#include "core/base/random.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/points/cloud_surface.h"

namespace tl {
namespace {

/// Makes a point of each splat, with the area of its cell.
std::vector<Surfel> points_of_splats(const std::vector<Splat>& splats) {
    // Fewer splats do not define a surface; they keep the areas of their discs.
    constexpr std::size_t kFewest = 64;
    std::vector<Surfel> points(splats.size());
    for (std::size_t i = 0; i < splats.size(); ++i)
        points[i] = {splats[i].center, kPi * splats[i].radius * splats[i].radius, splats[i].normal};
    if (splats.size() < kFewest) return points;
    std::vector<vec3> places(splats.size()), normals(splats.size());
    for (std::size_t i = 0; i < splats.size(); ++i) {
        places[i] = splats[i].center;
        normals[i] = splats[i].normal;
    }
    auto areas = surface_of_cloud(places, normals).areas;
    for (std::size_t i = 0; i < splats.size(); ++i) points[i].area = areas[i];
    return points;
}

double area_of(const std::vector<Surfel>& points) {
    return std::accumulate(points.begin(), points.end(), 0.0, [](double sum, const Surfel& point) {
        return sum + static_cast<double>(point.area);
    });
}

/// Rounds to 17 bits. Surfaces that are moved or rotated change in area by rounding errors only,
/// which must not change any point of other surfaces.
float rounded(double value) {
    constexpr std::uint32_t kStep = 1u << 7;
    std::uint32_t bits = bits_of_float(static_cast<float>(value));
    return float_of_bits((bits + kStep / 2) & ~(kStep - 1));
}

/// Reduces to `n` points by stratified sampling in the given order. Scales their areas so that the
/// total is unchanged.
void thin_out(std::vector<Surfel>& points, std::size_t n, std::uint64_t seed) {
    if (points.size() <= n) return;
    double area = area_of(points);
    // One point is drawn from each of n strata.
    std::vector<Surfel> kept(n);
    double step = static_cast<double>(points.size()) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        RandomStream random(seed, static_cast<std::uint32_t>(i), 0);
        double at = (static_cast<double>(i) + static_cast<double>(random.next())) * step;
        kept[i] = points[std::min(static_cast<std::size_t>(at), points.size() - 1)];
    }
    double kept_area = area_of(kept);
    auto scale = static_cast<float>(kept_area > 0 ? area / kept_area : 0);
    for (auto& point : kept) point.area *= scale;
    points = std::move(kept);
}

}  // namespace

std::vector<Surfel> points_of_scene(const Scene& scene, std::size_t n, float time,
                                    std::uint64_t seed) {
    auto points = points_of_splats(scene.splats);
    SurfaceSamples samples = sample_surfaces_of(scene, {.n_points = n, .seed = seed, .time = time});
    std::size_t n_samples = samples.positions.size();
    if (!points.empty()) {
        double area = area_of(points), share = area / std::max(area + samples.area, 1e-30);
        auto n_splats = static_cast<std::size_t>(share * static_cast<double>(n));
        thin_out(points, std::max<std::size_t>(n_splats, 1), seed);
        if (n_samples > 0) {
            std::size_t rest = std::max<std::size_t>(n - std::min(n, points.size()), 1);
            samples = sample_surfaces_of(scene, {.n_points = rest, .seed = seed, .time = time});
            n_samples = samples.positions.size();
        }
    }
    float area = rounded(samples.area / static_cast<double>(std::max<std::size_t>(n_samples, 1)));
    points.reserve(points.size() + n_samples);
    for (std::size_t i = 0; i < n_samples; ++i)
        points.push_back({samples.positions[i], area, samples.normals[i]});
    return points;
}

}  // namespace tl
