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
    std::size_t n_primitives = 0;  ///< primitives in leaves
    std::size_t n_dropped = 0;     ///< boxes left out: NaN, infinite or inverted
    std::size_t bytes = 0;         ///< size of the nodes and of the leaf order in use
    int depth = 0;                 ///< inner nodes on the longest path from the root to a leaf
    std::uint32_t errors = 0;      ///< TreeError bits
    /// Number of leaves of each size (0 is unused).
    std::array<std::size_t, NodeRef::kMaxLeafSize + 1> leaves_of_size{};
    /// Number of leaves at each depth, counted as for `depth`.
    std::vector<std::size_t> leaves_at_depth;
    /// SAH cost, the expected cost of a random ray: node visits and primitive tests, 1 each.
    double sah = 0;
};

/// Traverses the tree from its root and measures it. Throws UserError if it is not a tree: a node
/// or a leaf slot is reached twice, or an index is out of range.
[[nodiscard]] TreeStats measure_tree(const HostTree& tree);
/// Downloads a tree from its device and measures it; waits for the stream.
[[nodiscard]] TreeStats measure_tree(Stream& stream, const Tree& tree);

/// Returns a message to the user about left-out primitives and errors of a tree; "" if there are
/// none.
[[nodiscard]] std::string warning_of(const TreeHeader& header);

}  // namespace tl
