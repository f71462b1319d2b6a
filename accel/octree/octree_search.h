// Exact k-nearest-neighbour and radius-count queries in an octree, for many query points at once.
#pragma once

#include "accel/octree/octree.h"
#include "accel/points/find_nearest.h"

namespace tl {

/// Search that starts with a window of points around the query point in the order of the tree's
/// curve, and then visits the tree for nearer ones.
struct CurveWindows {
    OctreeView tree;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the k nearest points of each query point, as find_nearest() in a point tree. Indices
    /// are those of the input points of the tree.
    void find_nearest(Stream& stream, const OctreeView& tree, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// Finds the k nearest points by windows of the curve.
    void find_nearest(Stream& stream, const CurveWindows& windows, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// Sets counts[q] to the number of points closer than `radius` to query point q. Never waits.
    void count_within(Stream& stream, const OctreeView& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
