// Leaf creation: selects the subtrees of a finished binary tree that are collapsed into leaves.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Clears the references' collapsed bits, then collapses bottom-up each subtree but the root
    /// that input.leaves.size_of makes a leaf. Writes `output_sizes` for the whole capacity. The tree's
    /// nodes must be exactly [0, header.n_nodes), all reachable from header.root. Leaves made by
    /// the builder stay whole. Runs on the stream of `scratch` without waiting.
    void mark_leaves(Scratch& scratch, const BuildInput& input, BinaryTree& tree);
)
// clang-format on
