// Points spread over all surfaces of a scene, for the exchange of diffuse light.
#pragma once

#include <vector>

#include "accel/octree/octree.h"
#include "renderer/scene/scene.h"

namespace tl {

/// About `n` points, each with a share of the area: evenly spread over meshes and their instances,
/// spheres and patches (poisson_disk.h), and those of clouds by the areas of their own cells
/// (cloud_surface.h), or some of them that stand for the others, too. The scene is as of `time`,
/// seconds; the same points for the same seed. None where nothing has an area. Normals are those
/// of the surface's outside, and indices are 0.
[[nodiscard]] std::vector<Surfel> points_of_scene(const Scene& scene, std::size_t n, float time,
                                                  std::uint64_t seed);

}  // namespace tl
