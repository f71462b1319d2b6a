#include "renderer/form_factors/surface_samples.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/random.h"
#include "renderer/form_factors/instance_areas.h"
#include "renderer/form_factors/patch_areas.h"
#include "renderer/form_factors/triangle_point.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/clearance.h"

namespace tl {
namespace {

SurfaceSample on_sphere(const SphereData& sphere, float r0, float r1) {
    float z = 1 - 2 * r0, around = 2 * kPi * r1, radius = std::sqrt(1 - z * z);
    vec3 normal(radius * std::cos(around), radius * std::sin(around), z);
    return {sphere.center + sphere.radius * normal, 0, normal,
            cpu::sphere_clearance(sphere.center, sphere.radius, normal)};
}

/// The number of triangles on the device, where those of instanced meshes come last.
std::size_t all_triangles(const SceneView& view, const Scene& scene) {
    std::size_t n = view.n_triangles;
    for (auto& mesh : scene.meshes)
        if (mesh.instanced) n += mesh.triangles.size();
    return n;
}

/// The scene's own triangles, then spheres, cells of patches and instances, with cumulative areas.
class Surfaces {
  public:
    Surfaces(Stream& stream, const SceneView& view, const Scene& scene)
        : n_triangles_(view.n_triangles),
          triangles_(download_triangles(stream, view, all_triangles(view, scene))),
          spheres_(view.n_spheres),
          patches_(stream, view, scene.patch_count()),
          instances_(stream, view, scene, triangles_) {
        stream.device().download(stream, spheres_.data(), view.spheres,
                                 spheres_.size() * sizeof(SphereData));
        for (std::size_t i = 0; i < n_triangles_; ++i) table_.add(triangle(i).area());
        for (auto& sphere : spheres_) {
            float area = 4 * kPi * sphere.radius * sphere.radius;
            table_.add(std::isfinite(area) ? area : 0);
        }
        for (float area : patches_.areas()) table_.add(area);
        for (double area : instances_.areas()) table_.add(area);
    }
    [[nodiscard]] double area() const { return table_.total(); }

    /// The point at cumulative area `place`; r0 and r1 in [0, 1) select it within its surface.
    [[nodiscard]] SurfaceSample sample(double place, float r0, float r1) {
        auto [i, within] = table_.find(place);
        if (i < n_triangles_) return triangle(i).point(r0, r1);
        i -= n_triangles_;
        if (i < spheres_.size()) return on_sphere(spheres_[i], r0, r1);
        i -= spheres_.size();
        if (i < patches_.areas().size()) return patches_.sample(i, r0, r1);
        return instances_.sample(i - patches_.areas().size(), within, r0, r1);
    }

  private:
    [[nodiscard]] WorldTriangle triangle(std::size_t number) const {
        auto t = triangles_.triangles[number];
        auto& p = triangles_.positions;
        return {p[t.x], p[t.y], p[t.z]};
    }

    std::size_t n_triangles_;
    HostTriangles triangles_;
    std::vector<SphereData> spheres_;
    PatchAreas patches_;
    InstanceAreas instances_;
    AreaTable table_;
};

/// Recursively halves samples [first, first + count) into `n_clusters` runs.
void split(std::vector<SurfaceSample>& samples, std::size_t first, std::size_t count,
           std::size_t n_clusters, std::vector<SampleCluster>& clusters) {
    Box bounds;
    for (std::size_t i = first; i < first + count; ++i) bounds.extend(samples[i].position);
    vec3 size = bounds.hi - bounds.lo;
    if (n_clusters == 1) {
        SampleCluster cluster{first, count, (bounds.lo + bounds.hi) / 2.0f, 0};
        for (std::size_t i = first; i < first + count; ++i)
            cluster.radius =
                std::max(cluster.radius, glm::distance(cluster.center, samples[i].position));
        clusters.push_back(cluster);
        return;
    }
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    auto begin = samples.begin() + static_cast<std::ptrdiff_t>(first);
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(count / 2),
                     begin + static_cast<std::ptrdiff_t>(count),
                     [axis](auto& a, auto& b) { return a.position[axis] < b.position[axis]; });
    split(samples, first, count / 2, n_clusters / 2, clusters);
    split(samples, first + count / 2, count - count / 2, n_clusters / 2, clusters);
}

}  // namespace

std::vector<SurfaceSample> sample_surfaces(Stream& stream, const LiveScene& scene, std::size_t n,
                                           std::uint64_t seed) {
    Surfaces surfaces(stream, scene.view(), scene.description());
    if (!(surfaces.area() > 0))
        throw UserError("the scene has no surface to take samples on: open another one");
    double part = surfaces.area() / static_cast<double>(n);
    std::vector<SurfaceSample> samples(n);
    for (std::size_t i = 0; i < n; ++i) {
        RandomStream random(seed, static_cast<std::uint32_t>(i), 0);
        double place = (static_cast<double>(i) + static_cast<double>(random.next())) * part;
        float r0 = random.next();
        samples[i] = surfaces.sample(place, r0, random.next());
        samples[i].area = static_cast<float>(part);
    }
    return samples;
}

std::vector<SampleCluster> split_samples(std::vector<SurfaceSample>& samples,
                                         std::size_t n_clusters) {
    if (!std::has_single_bit(n_clusters) || n_clusters > samples.size())
        throw UsageError("the number of clusters must be a power of two, at most " +
                         std::to_string(samples.size()) + " (that of the samples)");
    std::vector<SampleCluster> clusters;
    split(samples, 0, samples.size(), n_clusters, clusters);
    return clusters;
}

float separation(const SampleCluster& a, const SampleCluster& b) {
    return glm::distance(a.center, b.center) /
           std::max(a.radius + b.radius, std::numeric_limits<float>::min());
}

}  // namespace tl
