// How much of its surface each point of a cloud stands for.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// The area of each point's Voronoi cell in its tangent plane, m^2, so that areas sum to that of
/// the surface however the points are spread. Neighbours keep their distance when they are laid
/// into the plane, as around an edge; those that face the other way, on the other side of something
/// thin, do not count. A cell at the rim of a surface, which has no end, ends as far out as it
/// reaches inwards. Points in one place share its cell. `normals` are of unit length, on consistent
/// sides.
[[nodiscard]] std::vector<float> estimate_areas(const CloudNeighbours& cloud,
                                                std::span<const vec3> normals);

}  // namespace tl
