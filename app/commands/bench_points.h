// Points that benchmarks build trees over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accel/octree/octree.h"

namespace tl {

struct Scene;

/// Points on a closed bumpy surface, 0.7 to 1.3 from the origin, with their normals and areas.
/// Their directions are uniformly random. In no order.
[[nodiscard]] std::vector<Surfel> bumpy_surfels(int n, std::uint64_t seed);
/// The positions alone.
[[nodiscard]] std::vector<vec3> bumpy_points(int n, std::uint64_t seed);
/// Shapes that points of shaped_surfels() are spread over.
[[nodiscard]] const std::vector<std::string>& surfel_shapes();
/// Points with normals and areas, in no order, by shape:
/// `uniform` in a cube; a `sphere` seen from within; the closed `surface` of bumpy_surfels();
/// a smooth body in a `box` whose walls have half of the points;
/// a `plummer` sphere, whose density grows towards its centre;
/// `clusters`: two cubes, one a million times smaller than the other.
[[nodiscard]] std::vector<Surfel> shaped_surfels(const std::string& shape, int n,
                                                 std::uint64_t seed);
/// Vertices of a scene's meshes, with their normals and a third of the areas of their triangles,
/// and centres of its spheres, which have neither.
[[nodiscard]] std::vector<Surfel> surfels_of(const Scene& scene);

}  // namespace tl
