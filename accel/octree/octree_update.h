// An octree whose points have moved, brought up to date.
#pragma once

#include "accel/octree/octree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// The points of the tree (view().points, all of them, whichever builder made it) have been
    /// changed in place, but for their indices. Makes the tree that a build over them would make,
    /// bit for bit; only points of a leaf of more than leaf_size points, all at one place, may come
    /// in another order. Never waits.
    void update_octree(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                       StageTimer& timer);
)
// clang-format on
