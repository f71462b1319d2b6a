// Radiosity kernel: light that one point of a diffuse surface sends to another, as in
// accel/fmm/kernels.h. The distance is regularised (piece_distance.h), so that neighbours do not
// send more light than there is.
#pragma once

#include "accel/fmm/piece_distance.h"
#include "accel/octree/octree.h"

namespace tl {

/// Unoccluded irradiance at `to` per radiosity times area of `from`, 1/m^2. 0 where the points do
/// not face each other. Symmetric for points of equal area, and for all that are not neighbours.
TL_HD inline float point_kernel(const Surfel& from, const Surfel& to) {
    vec3 way = to.position - from.position;
    float along_from = glm::dot(from.normal, way), along_to = -glm::dot(to.normal, way);
    if (!(along_from > 0) || !(along_to > 0)) return 0;
    constexpr float kLess = 1 - PieceDistance::kShare / PieceDistance::kReach;
    float square = glm::dot(way, way), fourth = square * square;
    float between = fmaxf(fourth, fourth * kLess + PieceDistance::of_area(from.area));
    return along_from * along_to / (kPi * between);
}

}  // namespace tl
