// Converts a builder's binary tree to the traversal tree of 64-byte nodes. Compacts the nodes that
// are not inside collapsed subtrees. The primitives of each collapsed subtree become consecutive in
// the leaf order.
#pragma once

#include "accel/tree_builder.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the traversal tree to `nodes` and `order`, which are as long as the binary tree's.
    /// `order` receives primitives: input.primitive_of of the references. Sets root, n_nodes and
    /// n_places of the header, which both trees share. Without a valid box the root has two missing
    /// children.
    void emit_bvh2(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
                   View<BvhNode> nodes, View<std::uint32_t> order);
)
// clang-format on
