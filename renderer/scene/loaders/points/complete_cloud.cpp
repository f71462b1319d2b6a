#include <algorithm>
#include <span>
#include <utility>

#include "core/device/device.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/points/cloud_surface.h"

namespace tl {
namespace {

/// Whether each of the points has a value that is not 0.
template <class T>
bool are_given(const std::vector<T>& values, std::size_t n, T none) {
    return values.size() == n && std::ranges::find(values, none) == values.end();
}

/// Erases the values, if there are any, of points that are marked.
template <class T>
void erase_marked(std::vector<T>& values, std::span<const std::uint8_t> marks) {
    if (values.empty()) return;
    std::size_t n = 0;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (!marks[i]) values[n++] = values[i];
    values.resize(n);
}

/// Reason why the surface of `n` points cannot be estimated; "" if it can.
std::string cloud_fault(std::size_t n) {
    constexpr std::uint64_t kBytesOfPoint = 300;
    if (n > kMostCloudPoints) return "more than " + std::to_string(kMostCloudPoints) + " points";
    std::uint64_t bytes = kBytesOfPoint * n, free = devices()[0]->memory_stats().bytes_free;
    if (bytes <= free) return {};
    return std::to_string(bytes >> 20) + " MB, where " + std::to_string(free >> 20) + " are free";
}

}  // namespace

void complete_cloud(Scene& scene, PointCloud& cloud, std::vector<vec3>& positions,
                    const std::string& path, const ReadProgress& progress) {
    // Fewer points define no surface.
    constexpr std::size_t kFewest = 64;
    std::size_t n = positions.size();
    if (n < kFewest && !cloud.drop_outliers) return;
    bool has_normals = are_given(cloud.normals, n, vec3(0));
    if (has_normals && are_given(cloud.areas, n, 0.0f) && !cloud.drop_outliers) return;
    if (auto fault = cloud_fault(n); !fault.empty()) {
        scene.warnings.push_back(path + ": no normals are made for its points, which would take " +
                                 fault);
        if (!has_normals) (void)std::exchange(cloud.normals, {});
        return;
    }
    CloudSurfaceConfig config;
    config.up = cloud.up;
    if (cloud.seen_from) config.seen_from = vec3(*cloud.seen_from - scene.offset);
    auto report = [&](double share) { progress.report_work("finding normals", share); };
    report(0);
    CloudSurface surface = surface_of_cloud(positions, cloud.normals, config, report);
    cloud.normals = std::move(surface.normals);
    cloud.areas.resize(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        if (cloud.areas[i] == 0) cloud.areas[i] = surface.areas[i];
    if (surface.n_outliers == 0) return;
    scene.warnings.push_back(
        path + ": " + std::to_string(surface.n_outliers) + " points lie far from all others" +
        (cloud.drop_outliers ? " and are left out"
                             : "; 'drop-outliers = true' in a scene file's [[mesh]] "
                               "leaves them out"));
    if (!cloud.drop_outliers) return;
    erase_marked(positions, surface.is_outlier);
    erase_marked(cloud.colors, surface.is_outlier);
    erase_marked(cloud.emission, surface.is_outlier);
    erase_marked(cloud.normals, surface.is_outlier);
    erase_marked(cloud.areas, surface.is_outlier);
}

}  // namespace tl
