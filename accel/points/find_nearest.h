// Exact nearest neighbours of many places at once, and numbers of points within a radius.
#pragma once

#include "accel/points/point_tree.h"

namespace tl {

/// Where the answers go, on the device; views that are empty are not written. Those of place q are
/// the entries from k q on, in no order; where there are fewer than k, indices are ~0 and squares
/// those of the largest distance.
struct NearestPoints {
    View<std::uint32_t> indices;
    View<float> squares;   ///< of distances
    View<float> farthest;  ///< of each place: the square of its k-th neighbour's distance

    static constexpr int kMost = 128;  ///< neighbours of a place
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the `k` points (1 to NearestPoints::kMost) that are nearest to each place and closer
    /// than `radius`, which may be infinite. Never waits.
    void find_nearest(Stream& stream, const PointTreeView& tree, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// counts[q] = how many points are closer to place q than `radius`. Never waits.
    void count_within(Stream& stream, const PointTreeView& tree, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
