// Exact k-nearest-neighbour and radius-count queries in a point tree, for many query points at
// once.
#pragma once

#include "accel/points/point_tree.h"

namespace tl {

/// Output of a search, on the device; empty views are not written. Entries [k q, k (q + 1)) belong
/// to query point q, in no order. Entries beyond the number of points found have index ~0 and the
/// square of the largest distance.
struct NearestPoints {
    View<std::uint32_t> indices;
    View<float> squares;   ///< squared distances
    View<float> farthest;  ///< per query point: squared distance of its k-th neighbour

    static constexpr int kMost = 128;  ///< maximum k
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the `k` points (1 to NearestPoints::kMost) that are nearest to each query point and
    /// closer than the search radius, which may be infinite. Never waits.
    void find_nearest(Stream& stream, const PointTreeView& tree, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// Sets counts[q] to the number of points closer than `radius` to query point q. Never waits.
    void count_within(Stream& stream, const PointTreeView& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
