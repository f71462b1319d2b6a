// The order in which threads take queries: neighbouring lanes of a GPU then visit the same nodes.
#pragma once

#include "accel/query/query_points.h"
#include "accel/query/shape_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sorts the queries of an array along a Morton curve, on a GPU and where there are so many
    /// that it pays. The order lies in scratch memory of the caller's scope. Never waits.
    void order_queries(Scratch& scratch, const ShapeTreeView& tree, QueryPoints& queries);
)
// clang-format on
