// The surfaces of a scene as points, and points as files for other programs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "renderer/scene/points/illumination_map.h"
#include "renderer/scene/points/surface_samples.h"

namespace tl {

struct PointSampling {
    std::size_t n_points = 100'000;
    std::uint64_t seed = 1;
    std::optional<float> time;  ///< moment at which surfaces are sampled, seconds; none: 0
};

/// Samples all surfaces that rays can hit at that moment, except those of lights: meshes and their
/// instances, patches, and spheres. Throws as sample_surfaces(), and UserError where nothing has an
/// area.
[[nodiscard]] SurfaceSamples sample_scene(const Scene& scene, const PointSampling& sampling,
                                          const std::function<void(double share)>& progress = {});

/// Samples as sample_scene(), but returns no points where nothing has an area.
[[nodiscard]] SurfaceSamples sample_surfaces_of(
    const Scene& scene, const PointSampling& sampling,
    const std::function<void(double share)>& progress = {});

/// Samples in the same way all that was added to a scene since `mark`, as it is at the start.
[[nodiscard]] SurfaceSamples sample_scene_since(const Scene& scene, const SceneMark& mark,
                                                std::size_t n_points);

/// Writes a binary PLY of little-endian numbers, with x y z nx ny nz red green blue area for each
/// point, and emission_red emission_green emission_blue where some emit; `offset` is added to
/// positions, which are doubles then. Colours are sRGB. The file appears when it is complete.
/// Returns its size. Throws UserError.
std::size_t write_ply_points(const std::string& path, const SurfaceSamples& samples,
                             const glm::dvec3& offset = glm::dvec3(0));

/// Writes an illumination map in the same way, with irradiance_red, irradiance_green,
/// irradiance_blue, radiosity_red, radiosity_green and radiosity_blue more for each point, floats
/// in W/m^2 of linear RGB. `srgb`: the colour of each point in other programs, red in the lowest
/// byte.
std::size_t write_ply_illumination(const std::string& path, const IlluminationMap& map,
                                   std::span<const std::uint32_t> srgb,
                                   const glm::dvec3& offset = glm::dvec3(0));

}  // namespace tl
