// Signed distances to a mesh: the distance to the closest point, with the sign that the winding
// number gives.
#pragma once

#include "accel/query/winding_number.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the distance of each query; negative inside, where the winding number is above 1/2.
    /// Points that are not finite get infinity. A grid of points sums winding numbers for cells of
    /// points where these cannot change sides, if the tree has the mesh's boundary. Never waits.
    void find_signed_distances(Scratch& scratch, const WindingTree& tree, QueryPoints queries,
                               float* distances);
)
// clang-format on
