// Normals of a cloud's points, by planes through their neighbours (Hoppe et al. 1992, "Surface
// reconstruction from unorganized points").
#pragma once

#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// Estimates a normal of unit length for each point, to either side. Near neighbours weigh more.
/// Noise, an edge or another sheet makes the neighbours a layer rather than a plane. The plane is
/// then fitted again to the neighbours of the neighbours, with less weight for points off the first
/// plane. This fit is used where it is clearly thinner for its width. Such normals are smoothed
/// with those of the neighbours. For collinear or coincident points, the normal is as close to `up`
/// as possible.
[[nodiscard]] std::vector<vec3> estimate_normals(const CloudNeighbours& cloud, vec3 up);

}  // namespace tl
