// Which of its two sides a cloud's normals point to: the same for all of a connected surface, and
// outwards.
//
// After Hoppe et al. 1992: along the minimum spanning tree of the graph of neighbours, so that a
// side is handed on where that is safe first. Departures: whether a neighbour's normal is turned
// follows from the first one mirrored in the plane half-way between the two (as a circle through
// both has it), which is right at sharp edges and across thin sheets too, where Hoppe's sign of the
// product of the two is not; an edge's weight tells how far the two are from such a circle, and how
// much the surface turns; every component is oriented for itself, by its outermost points in 26
// directions in place of one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// What is known of the sides. Lists have one entry for each point, in the cloud's order, or none.
struct CloudSides {
    std::span<const std::uint8_t> is_outlier;  ///< points that hand on nothing
    std::span<const vec3> given;               ///< normals that are right as they are; 0: unknown
    std::optional<vec3> seen_from;             ///< a place that all normals face
    vec3 up{0, 0, 1};                          ///< the side of a surface without an outside
};

/// Turns normals of unit length to their side, and puts those that are given in place of theirs.
/// Memory and time grow with the number of points.
void orient_normals(const CloudNeighbours& cloud, const CloudSides& sides,
                    std::vector<vec3>& normals);

}  // namespace tl
