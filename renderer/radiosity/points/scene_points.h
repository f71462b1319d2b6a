// Samples all surfaces of a scene by points, for radiosity.
#pragma once

#include <vector>

#include "accel/octree/octree.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Returns about `n` points with the areas that they represent, in proportion to surface area.
/// Meshes, instances, spheres and patches are sampled evenly (poisson_disk.h). Splats of clouds
/// are points with the areas of their cells (cloud_surface.h); of too many a subset represents all.
/// The scene is taken at `time`, in seconds. The same seed gives the same points. Empty where
/// nothing has an area. Normals are those of the surface's outside, and indices are 0.
[[nodiscard]] std::vector<Surfel> points_of_scene(const Scene& scene, std::size_t n, float time,
                                                  std::uint64_t seed);

}  // namespace tl
