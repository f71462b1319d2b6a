// Makes the traversal tree of 64-byte nodes from a builder's binary tree: nodes that stay are
// packed together, and the primitives of collapsed subtrees are brought together in the leaf order.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// `nodes` and `order` are as long as the binary tree's. `order` receives primitives:
    /// input.primitive_of of the references. The binary tree's header is the traversal tree's too: its
    /// root, n_nodes and n_places are set. Without a valid box the root has two missing children.
    void emit_bvh2(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                   View<BvhNode> nodes, View<std::uint32_t> order);
)
// clang-format on
