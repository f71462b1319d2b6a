// Binned SAH for large nodes with data-parallel primitives: three algorithms that sort references
// into bins (Zeidan 2011, section 4.6).
#pragma once

#include "accel/bvh/builders/binned.h"

// clang-format off
TL_FOR_DEVICES(
    /// Splits the root task level by level into tasks of at most kSmallBinnedNode references.
    /// Returns these tasks in scratch memory of the caller's scope. Some may be larger if the fixed
    /// number of levels is reached. `projection` must not be shared_bins.
    SubtreeTasks split_by_projection(Scratch& scratch, View<const Box> boxes,
                                     const SubtreeTasks& root, BinProjection projection, int n_bins,
                                     const BinaryTree& tree);
)
// clang-format on
