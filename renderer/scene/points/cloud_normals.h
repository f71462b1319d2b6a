// Normals of a cloud's points, by planes through their neighbours (Hoppe et al. 1992, "Surface
// reconstruction from unorganized points").
#pragma once

#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// A normal of unit length for each point, to either side. Neighbours that are near weigh more, and
/// where they are a layer rather than a plane, because of noise, an edge or another sheet, those
/// off the plane weigh less, or the plane goes through the neighbours of the neighbours too,
/// whichever tells more. Where points are on a line or in one place, the normal is as near to `up`
/// as can be.
[[nodiscard]] std::vector<vec3> estimate_normals(const CloudNeighbours& cloud, vec3 up);

}  // namespace tl
