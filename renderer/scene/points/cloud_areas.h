// Surface area that each point of a cloud represents.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// Area of each point's Voronoi cell in its tangent plane, m^2. The areas sum to that of the
/// surface for any distribution of the points. Neighbours keep their distance when they are
/// unfolded into the plane, as around an edge. Neighbours that face the other way, on the other
/// side of something thin, do not count. A cell at the rim of a surface is unbounded; it ends as
/// far outwards as it extends inwards. Coincident points share one cell. `normals` have unit length
/// and consistent orientation.
[[nodiscard]] std::vector<float> estimate_areas(const CloudNeighbours& cloud,
                                                std::span<const vec3> normals);

}  // namespace tl
