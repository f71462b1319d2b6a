// Improves a finished binary tree by rearranging small parts of it.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Runs `n_rounds` passes over a tree whose nodes are exactly [0, header.n_nodes). Nodes keep
    /// their numbers and leaves; `emission` and collapsed bits become invalid, so mark_leaves must
    /// follow. Runs on the scratch's stream, without waiting.
    void optimize_treelets(Scratch& scratch, const BuildInput& input, BinaryTree& tree, int n_rounds);
)
// clang-format on
