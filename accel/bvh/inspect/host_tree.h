// Copy of a traversal tree in host memory, for statistics that are computed there.
#pragma once

#include <vector>

#include "accel/tree.h"

namespace tl {

/// Nodes and leaf slots in use of a traversal tree.
struct HostTree {
    TreeHeader header;
    std::vector<BvhNode> nodes;
    std::vector<std::uint32_t> order;

    /// Box of the whole tree; empty for an empty one.
    [[nodiscard]] Box root_box() const;
};

/// Downloads a tree; waits for the stream.
[[nodiscard]] HostTree download_tree(Stream& stream, const Tree& tree);

}  // namespace tl
