// Hits of rays on trees of Bezier patches.
#pragma once

#include "accel/query/ray_queries.h"

// clang-format off
TL_FOR_DEVICES(
    /// find_closest_hits(), find_occluded() and find_all_hits() for trees of patches.
    void find_closest_on_patches(Scratch& scratch, const ShapeTreeView& tree,
                                 const StridedRays& rays, const HitsOut& out);
    void find_occluded_by_patches(Scratch& scratch, const ShapeTreeView& tree,
                                  const StridedRays& rays, std::uint8_t* occluded);
    void find_all_on_patches(Scratch& scratch, const ShapeTreeView& tree, const StridedRays& rays,
                             int k, const HitsOut& out, std::uint32_t* counts);
)
// clang-format on
