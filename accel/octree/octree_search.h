// Exact nearest neighbours of many places at once in an octree, and numbers of points within a
// radius.
#pragma once

#include "accel/octree/octree.h"
#include "accel/points/find_nearest.h"

namespace tl {

/// Searches that begin with the points around a place in the order of the tree's curve, and then
/// look for nearer ones in the tree.
struct CurveWindows {
    OctreeView tree;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// As find_nearest() in a point tree; indices are those of the points that the tree was built
    /// from.
    void find_nearest(Stream& stream, const OctreeView& tree, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// The same by windows of the curve.
    void find_nearest(Stream& stream, const CurveWindows& windows, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// counts[q] = how many points are closer to place q than `radius`. Never waits.
    void count_within(Stream& stream, const OctreeView& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
