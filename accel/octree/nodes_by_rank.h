// All nodes of a tree over sorted points, written by one kernel.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sets the header's levels, the nodes and their parents, from keys that are sorted by
    /// `key_levels` levels; on the last of these cells are not split. Never waits.
    void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                             View<const std::uint64_t> keys,
                             int key_levels = OctreeGrid::kLevels);
)
// clang-format on
