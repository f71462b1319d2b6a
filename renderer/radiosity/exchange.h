// The light that one point of a diffuse surface sends to another, as accel/fmm/kernels.h has it:
// what is added to the distance keeps neighbours from sending more than there is.
#pragma once

#include "accel/fmm/piece_distance.h"
#include "accel/octree/octree.h"

namespace tl {

/// Of the radiosity of one point, times its area, the irradiance at the other, 1/m^2, where nothing
/// is in the way; 0 where they do not face each other. The same both ways for points of one area,
/// and for others that are no neighbours.
TL_HD inline float exchange(const Surfel& from, const Surfel& to) {
    vec3 way = to.position - from.position;
    float along_from = glm::dot(from.normal, way), along_to = -glm::dot(to.normal, way);
    if (!(along_from > 0) || !(along_to > 0)) return 0;
    constexpr float kLess = 1 - PieceDistance::kShare / PieceDistance::kReach;
    float square = glm::dot(way, way), fourth = square * square;
    float between = fmaxf(fourth, fourth * kLess + PieceDistance::of_area(from.area));
    return along_from * along_to / (kPi * between);
}

}  // namespace tl
