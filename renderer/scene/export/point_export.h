// The surfaces of a scene as points, and points as files for other programs.
#pragma once

#include <optional>
#include <string>

#include "renderer/scene/points/surface_samples.h"

namespace tl {

struct PointSampling {
    std::size_t n_points = 100'000;
    std::uint64_t seed = 1;
    std::optional<float> time;  ///< of the moment at which surfaces are sampled, seconds; none: 0
};

/// Points on all surfaces that rays meet at that moment, those of lamps excepted: meshes and their
/// instances, patches, and spheres. Throws as sample_surfaces(), and UserError where nothing has an
/// area.
[[nodiscard]] SurfaceSamples sample_scene(const Scene& scene, const PointSampling& sampling,
                                          const std::function<void(double share)>& progress = {});

/// The same, but no points where nothing has an area.
[[nodiscard]] SurfaceSamples sample_surfaces_of(
    const Scene& scene, const PointSampling& sampling,
    const std::function<void(double share)>& progress = {});

/// The same for what was added to a scene since `mark`, as it is at the start.
[[nodiscard]] SurfaceSamples sample_scene_since(const Scene& scene, const SceneMark& mark,
                                                std::size_t n_points);

/// Writes a binary PLY of little-endian numbers, with x y z nx ny nz red green blue area for each
/// point; `offset` is added to positions, which are doubles then. Colours are sRGB. The file
/// appears when it is complete. Returns its size. Throws UserError.
std::size_t write_ply_points(const std::string& path, const SurfaceSamples& samples,
                             const glm::dvec3& offset = glm::dvec3(0));

}  // namespace tl
