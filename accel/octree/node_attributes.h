// Node attributes: aggregates the points of all nodes of a tree, bottom-up.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Computes the attributes of all nodes. Never waits.
    void sum_attributes(Scratch& scratch, const OctreeView& tree);
)
// clang-format on
