// What the points of each node amount to, for all nodes of a tree, bottom-up.
#pragma once

#include "accel/octree/octree.h"

namespace tl {

/// Where the points of a tree are yet to come from, which has its nodes already; all views empty
/// where they are in place.
struct PointsToCome {
    View<const Surfel> from;
    View<const std::uint32_t> order;  ///< where in `from` each point is
    /// Unless empty: the points' keys, sorted by the levels of the tree alone; then the points of
    /// each leaf are put in the order of all levels, and so are the tree's keys.
    View<const std::uint64_t> keys;
    bool have_indices = false;  ///< else a point's index is its place in `from`
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets the attributes of all nodes, and the points and keys that are to come. Never waits.
    void sum_attributes(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                        const PointsToCome& to_come = {});
)
// clang-format on
