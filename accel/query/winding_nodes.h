// Expansions of the winding numbers of subtrees (Barill et al. 2018, "Fast Winding Numbers for
// Soups and Clouds", up to the second-order term of triangles), and their evaluation.
#pragma once

#include "accel/box.h"
#include "core/device/array.h"

namespace tl {

/// The triangles of a node, seen from afar. 64 bytes.
struct alignas(16) WindingNode {
    vec3 center;     ///< mean of the triangles' centroids, weighted by area
    float radius;    ///< of a ball about the centre that contains the node's box
    vec3 normal;     ///< sum of area times unit normal
    float area;      ///< sum of areas
    vec3 moment[3];  ///< column j: sum of (centroid - center) times component j of area * normal
    float unused[3];
};
static_assert(sizeof(WindingNode) == 80);

}  // namespace tl

TL_DEVICE_BEGIN

/// Returns the solid angle, divided by 4 pi, of a node's triangles about `p`, to second order.
TL_HD inline float far_winding_number(const WindingNode& node, vec3 p) {
    vec3 r = node.center - p;
    float square = glm::dot(r, r), inverse = 1 / sqrtf(square);
    float cube = inverse * inverse * inverse;
    vec3 weighted = node.moment[0] * r.x + node.moment[1] * r.y + node.moment[2] * r.z;
    float trace = node.moment[0].x + node.moment[1].y + node.moment[2].z;
    float second = trace - 3 * glm::dot(r, weighted) * inverse * inverse;
    return (glm::dot(node.normal, r) + second) * cube * (0.25f / kPi);
}

/// Returns the solid angle of a triangle about `p`, divided by 4 pi (van Oosterom and Strackee
/// 1983); positive seen from behind its counter-clockwise side.
TL_HD inline float triangle_winding_number(vec3 a, vec3 b, vec3 c) {
    float la = sqrtf(glm::dot(a, a)), lb = sqrtf(glm::dot(b, b)), lc = sqrtf(glm::dot(c, c));
    float determinant = glm::dot(a, glm::cross(b, c));
    float divisor = la * lb * lc + glm::dot(a, b) * lc + glm::dot(b, c) * la + glm::dot(c, a) * lb;
    if (determinant == 0) return 0;
    return atan2f(determinant, divisor) * (0.5f / kPi);
}

TL_DEVICE_END
