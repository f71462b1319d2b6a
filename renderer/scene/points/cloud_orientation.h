// Orients the normals of a cloud: consistently over each connected surface, and outwards.
//
// After Hoppe et al. 1992: the orientation is propagated along the minimum spanning tree of the
// graph of neighbours, so that the safest edges come first.
//
// Departures. A neighbour's normal is flipped by comparison with the first one, mirrored in the
// plane half-way between the two points (as a circle through both has it). This is right at sharp
// edges and across thin sheets too, where Hoppe's sign of the product of the two is not. An edge's
// weight measures the distance of the two normals from such a circle, and how much the surface
// turns. Every component is oriented on its own, by its outermost points in 26 directions instead
// of one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// Known facts about the orientation. Each list has one entry for each point, in the cloud's order,
/// or is empty.
struct CloudSides {
    std::span<const std::uint8_t> is_outlier;  ///< points that propagate no orientation
    std::span<const vec3> given;               ///< known normals, which stay unchanged; 0: unknown
    std::optional<vec3> seen_from;             ///< position that all normals face
    vec3 up{0, 0, 1};                          ///< preferred side of a surface without an outside
};

/// Orients normals of unit length, and replaces those that are given by the given ones. Memory and
/// time grow with the number of points.
void orient_normals(const CloudNeighbours& cloud, const CloudSides& sides,
                    std::vector<vec3>& normals);

}  // namespace tl
