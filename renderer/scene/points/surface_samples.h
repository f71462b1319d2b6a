// Evenly spread sample points on the surfaces of a scene.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A mesh and its transform to the scene.
struct MeshToSample {
    const Mesh* mesh = nullptr;
    mat4 transform{1};
    std::int32_t material = -1;  ///< replaces those of its triangles; -1: their own
};

/// Surfaces whose materials and textures are in `scene`.
struct SurfacesToSample {
    const Scene* scene = nullptr;
    std::vector<MeshToSample> meshes;
    std::span<const Sphere> spheres;
};

/// Sample points, each of which represents the same area.
struct SurfaceSamples {
    std::vector<vec3> positions;
    std::vector<vec3> normals;  ///< unit length; interpolated where a mesh has normals
    /// Linear RGB: the material's diffuse colour times its texture and the vertex colour.
    std::vector<vec3> colors;
    std::vector<vec3> emission;  ///< radiance, W/(sr m^2), textures included; empty where all are 0
    double area = 0;             ///< area of all surfaces without their holes, m^2
    float distance = 0;          ///< no two points on the same side are closer
};

/// Samples surfaces at `n` points, by poisson_disk.h. The same seed gives the same points
/// everywhere. None where the surfaces have no area. Throws UserError where memory is short, and
/// any exception of `progress`.
[[nodiscard]] SurfaceSamples sample_surfaces(
    const SurfacesToSample& surfaces, std::size_t n, std::uint64_t seed,
    const std::function<void(double share)>& progress = {});

}  // namespace tl
