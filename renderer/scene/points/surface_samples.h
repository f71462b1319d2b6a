// Points on the surfaces of a scene, spread evenly.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A mesh where it is seen.
struct MeshToSample {
    const Mesh* mesh = nullptr;
    mat4 transform{1};
    std::int32_t material = -1;  ///< of all its triangles instead of theirs; -1: their own
};

/// Surfaces, of a scene that has their materials and textures.
struct SurfacesToSample {
    const Scene* scene = nullptr;
    std::vector<MeshToSample> meshes;
    std::span<const Sphere> spheres;
};

/// Points, each of which stands for an equal share of the area.
struct SurfaceSamples {
    std::vector<vec3> positions;
    std::vector<vec3> normals;  ///< unit length; interpolated where a mesh has normals
    /// Linear RGB: the material's diffuse colour, its texture there, and that of vertices.
    std::vector<vec3> colors;
    double area = 0;     ///< of all of the surface without its holes, m^2
    float distance = 0;  ///< no two on the same side are closer
};

/// Samples surfaces at `n` points, by poisson_disk.h; the same for the same seed everywhere. None
/// where the surfaces have no area. Throws UserError where memory is short, and what `progress`
/// throws.
[[nodiscard]] SurfaceSamples sample_surfaces(
    const SurfacesToSample& surfaces, std::size_t n, std::uint64_t seed,
    const std::function<void(double share)>& progress = {});

}  // namespace tl
