// The closest point of a tree's shapes to each of many points.
#pragma once

#include "accel/query/query_points.h"
#include "accel/query/shape_tree.h"

namespace tl {

/// Output arrays of closest points, one element for each query; null members are not written.
struct ClosestPointsOut {
    float* distances = nullptr;
    float* positions = nullptr;  ///< 3 each
    std::uint32_t* primitives = nullptr;
    float* uv = nullptr;  ///< 2 each
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the closest point that is no further than `most`. Triangles and spheres are surfaces,
    /// boxes are solid. Without one, and for points that are not finite, the distance is infinite,
    /// the primitive Hit::kNone, and the position the query's. Never waits.
    void find_closest_points(Scratch& scratch, const ShapeTreeView& tree, QueryPoints queries,
                             float most, const ClosestPointsOut& out);
)
// clang-format on
