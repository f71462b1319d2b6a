// Treelet restructuring: lowers the SAH cost of a finished binary tree (Karras & Aila 2013).
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Runs `n_rounds` passes over a tree whose nodes are exactly [0, header.n_nodes). Node numbers
    /// and leaves are kept. `output_sizes` and collapsed bits become invalid, so mark_leaves must
    /// follow. Runs on the stream of `scratch` without waiting.
    void optimize_treelets(Scratch& scratch, const BuildInput& input, BinaryTree& tree, int n_rounds);
)
// clang-format on
