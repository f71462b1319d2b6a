// Zeidan's three ways of getting primitives to their bins, for the large nodes of binned SAH.
#pragma once

#include "accel/bvh/builders/binned.h"

// clang-format off
TL_FOR_DEVICES(
    /// Splits the root task level by level until its parts hold at most kSmallBinnedNode references,
    /// and returns them, in scratch memory of the caller's scope; after a fixed number of levels some
    /// may be larger. `projection` is not shared_bins.
    SubtreeTasks split_by_projection(Scratch& scratch, View<const Box> boxes,
                                     const SubtreeTasks& root, BinProjection projection, int n_bins,
                                     const BinaryTree& tree);
)
// clang-format on
