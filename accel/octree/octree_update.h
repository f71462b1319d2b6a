// Update of an octree whose points have moved.
#pragma once

#include "accel/octree/octree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Rebuilds the tree after the caller has overwritten its points (view().points, any or all),
    /// except for their indices. Any builder may have made the tree. The result is bit for bit that
    /// of a build over these points. Only points of a leaf of more than leaf_size points with equal
    /// keys may be in another order. Never waits.
    void update_octree(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                       StageTimer& timer);
)
// clang-format on
