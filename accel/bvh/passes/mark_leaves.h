// Decides which subtrees of a finished binary tree become leaves.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// For trees whose nodes are exactly [0, header.n_nodes), all reached from header.root: collapses,
    /// bottom-up, each subtree for which input.leaves.size_of says so, the root excepted, and writes
    /// `emission` for the whole capacity. Leaves that the builder made stay whole; collapsed bits that
    /// references carry are forgotten first. Runs on the scratch's stream, without waiting.
    void mark_leaves(Scratch& scratch, const BuildInput& input, BinaryTree& tree);
)
// clang-format on
