// Conversion of a two-box tree to depth-first nodes with skip pointers.
#pragma once

#include "accel/bvh/layouts/skip_tree.h"

// clang-format off
TL_FOR_DEVICES(
    /// Writes the tree of `nodes` below header[0].root in depth-first order, one node per inner node
    /// and one per leaf. Leaves keep their slots. Does not wait; allocates only to grow.
    void emit_skip_tree(Scratch& scratch, View<BvhNode> nodes, View<TreeHeader> header,
                        SkipTree& skip_tree);
)
// clang-format on
