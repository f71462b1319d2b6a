// An octree whose points have moved a little, brought up to date.
#pragma once

#include "accel/octree/octree.h"

// clang-format off
TL_FOR_DEVICES(
    /// The points of the tree (view().points, all of them, whichever builder made it) have been
    /// changed in place, but for their indices. Makes the tree that a build over them would make,
    /// bit for bit. It takes the less time the fewer points have left the order; where more than an
    /// eighth have, the tree is built anew. Waits once for the device, for how many have, and
    /// returns that.
    std::uint32_t update_octree(Scratch& scratch, const OctreeConfig& config, Octree& tree,
                                StageTimer& timer);
)
// clang-format on
