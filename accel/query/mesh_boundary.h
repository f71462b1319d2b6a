// The boundary of a mesh, as signs of grids need it. Away from the surface a winding number changes
// only with the solid angle of the boundary. Two triangles that share an edge in opposite
// directions have no boundary there; n triangles that share it in one direction have it n times.
#pragma once

#include "accel/query/shape_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the weights of the edges of each slot's triangle: from its first vertex to its second,
    /// on to the third, and from the first to the third. A weight is how much more often triangles
    /// have the edge in one direction than in the other, for one of these triangles; otherwise 0.
    /// Vertices are the same if they have the same coordinates. Never waits.
    void find_boundary_edges(Scratch& scratch, const ShapeTreeView& tree, View<vec3> weights);
)
// clang-format on
