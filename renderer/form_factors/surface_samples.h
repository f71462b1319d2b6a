// Points distributed over a scene's surfaces by area, and clusters of neighbouring points, between
// which form factors are computed.
#pragma once

#include "core/device/array.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

class LiveScene;

/// A sample point that represents a part of a surface; both sides of the surface count.
struct SurfaceSample {
    vec3 position;
    float area;           ///< m^2
    vec3 normal;          ///< normal of the triangle, sphere or patch, unit length; either side
    float clearance = 0;  ///< clearance of rays above either side, m
};
static_assert(sizeof(SurfaceSample) == 32);

/// `n` points on the scene's triangles, spheres, patches and instances at their positions after the
/// last update, surfaces of lights included; each represents the same area. Stratified by area; the
/// seed determines the points. Waits for the stream. Throws UserError if the total area is 0.
[[nodiscard]] std::vector<SurfaceSample> sample_surfaces(Stream& stream, const LiveScene& scene,
                                                         std::size_t n, std::uint64_t seed);

/// A run of neighbouring samples, and their bounding sphere.
struct SampleCluster {
    std::size_t first = 0, count = 0;
    vec3 center{0};  ///< centre of the bounds
    float radius = 0;
};

/// Sorts the samples into clusters: runs whose lengths differ by at most one. Splits at the median
/// of the longest axis, as in a kd-tree. `n_clusters` is a power of two, at most the number of
/// samples.
[[nodiscard]] std::vector<SampleCluster> split_samples(std::vector<SurfaceSample>& samples,
                                                       std::size_t n_clusters);

/// Distance of the centres divided by the sum of the radii: above 1 the spheres are disjoint.
[[nodiscard]] float separation(const SampleCluster& a, const SampleCluster& b);

}  // namespace tl
