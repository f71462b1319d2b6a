// Makes a finished binary tree better by rearranging small parts of it.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// `n_rounds` passes over a tree whose nodes are exactly [0, header.n_nodes). Nodes keep their
    /// numbers and leaves; `emission` is not kept and collapsed bits are lost, so mark_leaves must
    /// follow. Runs on the scratch's stream, without waiting.
    void optimize_treelets(Scratch& scratch, const BuildInput& input, BinaryTree& tree, int n_rounds);
)
// clang-format on
