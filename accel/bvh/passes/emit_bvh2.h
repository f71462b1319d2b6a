// Makes the traversal tree of 64-byte nodes from a builder's binary tree: the nodes that stay are
// packed, and the primitives of each collapsed subtree become consecutive in the leaf order.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// `nodes` and `order` are as long as the binary tree's. `order` receives primitives:
    /// input.primitive_of of the references. The header is shared with the binary tree: sets its
    /// root, n_nodes and n_places. Without a valid box the root has two missing children.
    void emit_bvh2(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                   View<BvhNode> nodes, View<std::uint32_t> order);
)
// clang-format on
