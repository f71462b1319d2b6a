// The light that one point of a diffuse surface sends to another. Each stands for a disc of its
// area: the form factor of a point to a parallel disc around its axis, A / (pi r^2 + A), is taken
// for all directions, so that neighbours cannot send more than there is (Wallace, Elmquist &
// Haines 1989, "A ray tracing algorithm for progressive radiosity"). With the mean of both areas
// the exchange is symmetric, and no energy is lost.
#pragma once

#include "accel/octree/octree.h"

namespace tl {

/// Of the radiosity of one point, times its area, the irradiance at the other, 1/m^2, where nothing
/// is in the way; 0 where they do not face each other.
TL_HD inline float exchange(const Surfel& a, const Surfel& b) {
    vec3 way = b.position - a.position;
    float along_a = glm::dot(a.normal, way), along_b = -glm::dot(b.normal, way);
    if (!(along_a > 0) || !(along_b > 0)) return 0;
    float square = glm::dot(way, way);
    return along_a * along_b / (square * (kPi * square + 0.5f * (a.area + b.area)));
}

}  // namespace tl
