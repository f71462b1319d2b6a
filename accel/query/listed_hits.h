// Closest and any hits of rays with masks, by a traversal loop of their own.
#pragma once

#include "accel/query/ray_queries.h"

// clang-format off
TL_FOR_DEVICES(
    /// find_closest_hits() and find_occluded() for rays with masks, or trees with them.
    void find_closest_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                             const HitsOut& out);
    void find_occluded_masked(Stream& stream, const ShapeTreeView& tree, const StridedRays& rays,
                              std::uint8_t* occluded);
)
// clang-format on
