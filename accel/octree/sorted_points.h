// The first stages of every builder: bounds, keys, and the points in the order of their keys.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Makes room in the tree, and sets the header's bounds, counts of points and grid, the keys
    /// and the points.
    void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                     Octree& tree, StageTimer& timer);
)
// clang-format on
