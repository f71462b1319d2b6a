// Points spread over a scene's surfaces by area, and clusters of neighbours among them: what
// form factors are taken between.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveScene;

/// A point that stands for a part of a surface; the surface counts from both sides.
struct SurfaceSample {
    vec3 position;
    float area;   ///< m^2
    vec3 normal;  ///< of the triangle, sphere or patch, unit length; either side
    float unused = 0;
};
static_assert(sizeof(SurfaceSample) == 32);

/// `n` points on the scene's triangles, spheres, patches and instances as its last update has
/// placed them, the surfaces of lights included; each stands for the same area. Stratified by area:
/// the same seed, the same points. Waits for the stream. Throws UserError where there is no area.
[[nodiscard]] std::vector<SurfaceSample> sample_surfaces(Stream& stream, const LiveScene& scene,
                                                         std::size_t n, std::uint64_t seed);

/// A run of samples that lie together, and the sphere about them.
struct SampleCluster {
    std::size_t first = 0, count = 0;
    vec3 center{0};  ///< of the bounds
    float radius = 0;
};

/// Orders the samples so that clusters are runs of equal length, give or take one: halves at the
/// median of the longest axis, as a kd-tree does. `n_clusters` is a power of two, at most the
/// number of samples.
[[nodiscard]] std::vector<SampleCluster> split_samples(std::vector<SurfaceSample>& samples,
                                                       std::size_t n_clusters);

/// Distance of the centres over the sum of the radii: from 1 on, the spheres are apart.
[[nodiscard]] float separation(const SampleCluster& a, const SampleCluster& b);

}  // namespace tl
