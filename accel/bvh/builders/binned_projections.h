// Zeidan's three ways to sort primitives into bins, for the large nodes of binned SAH.
#pragma once

#include "accel/bvh/builders/binned.h"

// clang-format off
TL_FOR_DEVICES(
    /// Splits the root task level by level into parts of at most kSmallBinnedNode references and
    /// returns these, in scratch memory of the caller's scope. Some may be larger if the fixed
    /// number of levels is reached. `projection` must not be shared_bins.
    SubtreeTasks split_by_projection(Scratch& scratch, View<const Box> boxes,
                                     const SubtreeTasks& root, BinProjection projection, int n_bins,
                                     const BinaryTree& tree);
)
// clang-format on
