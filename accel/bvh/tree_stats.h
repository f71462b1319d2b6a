// What a tree is worth: counts, bytes, depth and the surface-area cost.
#pragma once

#include "accel/bvh/bvh2.h"

namespace tl {

struct TreeStats {
    std::size_t n_nodes = 0;  ///< inner nodes
    std::size_t n_leaves = 0;
    std::size_t n_primitives = 0;  ///< reached through leaves
    std::size_t bytes = 0;         ///< nodes and leaf order
    int depth = 0;                 ///< inner nodes on the longest way from the root to a leaf
    double sah = 0;  ///< expected cost of a random ray: node visits + primitive tests, both at 1
};

/// Downloads the tree and walks it from the root (waits for the stream). Throws UserError if it is
/// not a tree: a node or a place reached twice, or an index out of range.
[[nodiscard]] TreeStats measure_tree(Stream& stream, const Bvh2& tree);

}  // namespace tl
