#include "renderer/form_factors/surface_samples.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "accel/parallel/random.h"
#include "renderer/scene/host_triangles.h"

namespace tl {
namespace {

/// Triangles, then spheres, with their areas summed up.
class Surfaces {
  public:
    Surfaces(Stream& stream, const SceneView& scene)
        : triangles_(download_triangles(stream, scene)), spheres_(scene.n_spheres) {
        stream.device().download(stream, spheres_.data(), scene.spheres,
                                 spheres_.size() * sizeof(SphereData));
        double sum = 0;
        area_before_.reserve(triangles_.triangles.size() + spheres_.size());
        for (auto& triangle : triangles_.triangles) {
            area_before_.push_back(sum);
            sum += area_of(glm::length(cross_of(triangle)) / 2);
        }
        for (auto& sphere : spheres_) {
            area_before_.push_back(sum);
            sum += area_of(4 * kPi * sphere.radius * sphere.radius);
        }
        area_ = sum;
    }
    [[nodiscard]] double area() const { return area_; }

    /// The point at `place` of the area, moved within its surface by r0 and r1 of [0, 1).
    [[nodiscard]] SurfaceSample sample(double place, float r0, float r1) const {
        auto after = std::upper_bound(area_before_.begin(), area_before_.end(), place);
        auto i = static_cast<std::size_t>(after - area_before_.begin()) - 1;
        auto n_triangles = triangles_.triangles.size();
        return i < n_triangles ? on_triangle(triangles_.triangles[i], r0, r1)
                               : on_sphere(spheres_[i - n_triangles], r0, r1);
    }

  private:
    /// Broken triangles have none.
    static double area_of(float area) { return std::isfinite(area) ? area : 0; }
    [[nodiscard]] vec3 cross_of(glm::uvec3 t) const {
        auto& p = triangles_.positions;
        return glm::cross(p[t.y] - p[t.x], p[t.z] - p[t.x]);
    }
    [[nodiscard]] SurfaceSample on_triangle(glm::uvec3 t, float r0, float r1) const {
        auto& p = triangles_.positions;
        float root = std::sqrt(r0);
        return {(1 - root) * p[t.x] + root * (1 - r1) * p[t.y] + root * r1 * p[t.z], 0,
                glm::normalize(cross_of(t))};
    }
    static SurfaceSample on_sphere(const SphereData& sphere, float r0, float r1) {
        float z = 1 - 2 * r0, around = 2 * kPi * r1, radius = std::sqrt(1 - z * z);
        vec3 normal(radius * std::cos(around), radius * std::sin(around), z);
        return {sphere.center + sphere.radius * normal, 0, normal};
    }

    HostTriangles triangles_;
    std::vector<SphereData> spheres_;
    std::vector<double> area_before_;
    double area_ = 0;
};

/// Halves samples [first, first + count) until `n_clusters` runs are left.
void split(std::vector<SurfaceSample>& samples, std::size_t first, std::size_t count,
           std::size_t n_clusters, std::vector<SampleCluster>& clusters) {
    Bounds bounds;
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

std::vector<SurfaceSample> sample_surfaces(Stream& stream, const SceneView& scene, std::size_t n,
                                           std::uint64_t seed) {
    Surfaces surfaces(stream, scene);
    if (!(surfaces.area() > 0))
        throw UserError(
            "the scene has no triangles or spheres of its own to take samples on (patches and "
            "instances get none): open another one");
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
