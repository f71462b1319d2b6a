// Decides which subtrees of a finished binary tree become leaves.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// For trees whose nodes are exactly [0, header.n_nodes), all reachable from header.root. First
    /// clears the references' collapsed bits; then collapses bottom-up each subtree but the root
    /// that input.leaves.size_of makes a leaf, and writes `emission` for the whole capacity. Leaves
    /// made by the builder stay whole. Runs on the scratch's stream, without waiting.
    void mark_leaves(Scratch& scratch, const BuildInput& input, BinaryTree& tree);
)
// clang-format on
