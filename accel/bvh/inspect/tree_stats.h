// Quality measures of a tree: counts, bytes, depth and the surface-area cost.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "accel/bvh/inspect/host_tree.h"

namespace tl {

struct TreeStats {
    std::size_t n_nodes = 0;  ///< inner nodes
    std::size_t n_leaves = 0;
    std::size_t n_primitives = 0;  ///< reached through leaves
    std::size_t n_dropped = 0;     ///< boxes left out: NaN, infinite or inverted
    std::size_t bytes = 0;         ///< nodes and leaf order in use
    int depth = 0;                 ///< inner nodes on the longest path from the root to a leaf
    std::uint32_t errors = 0;      ///< TreeError bits
    /// Number of leaves of each size (0 is unused) and at each depth, counted as for `depth`.
    std::array<std::size_t, NodeRef::kMaxLeafSize + 1> leaves_of_size{};
    std::vector<std::size_t> leaves_at_depth;
    double sah = 0;  ///< expected cost of a random ray: node visits + primitive tests, both at 1
};

/// Walks the tree from its root. Throws UserError if it is not a tree: a node or a place reached
/// twice, or an index out of range.
[[nodiscard]] TreeStats measure_tree(const HostTree& tree);
/// Measures a tree that is on its device (waits for the stream).
[[nodiscard]] TreeStats measure_tree(Stream& stream, const Tree& tree);

/// A message to the user about a tree: primitives left out, errors; "" if there are none.
[[nodiscard]] std::string warning_of(const TreeHeader& header);

}  // namespace tl
