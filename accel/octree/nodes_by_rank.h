// All nodes of a tree over sorted points, written by one kernel.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Sets the header's levels, the nodes and their parents. Never waits.
    void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree);
)
// clang-format on
