// Subtree that is still to be built: passed between the stages of a builder.
#pragma once

#include "accel/bvh/layouts/binary_tree.h"

namespace tl {

/// Subtree over the references at positions [first, first + count) of the order. It becomes the
/// child that `parent` refers to. An inner node is numbered by the last position of its left child:
/// node i separates the positions up to i from those after it. Subtrees can thus be built
/// independently without counting nodes.
struct SubtreeTask {
    static constexpr std::uint32_t kNoParent = 0xffffffffu;  ///< the subtree is the whole tree

    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t parent = kNoParent;  ///< node << 1 | side, or kNoParent

    TL_HD static std::uint32_t child_of(std::uint32_t node, int side) {
        return node << 1 | static_cast<std::uint32_t>(side);
    }
};

/// Tasks in device memory; the first n_tasks[0] are in use.
struct SubtreeTasks {
    View<SubtreeTask> tasks;
    View<std::uint32_t> n_tasks;
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Sets the child that a task's `parent` refers to. The parent's node must be written already.
TL_HD inline void link_child(const BinaryTree& tree, std::uint32_t parent, NodeRef ref) {
    if (parent == SubtreeTask::kNoParent)
        tree.header[0].root = ref.node();
    else
        (parent & 1 ? tree.nodes[parent >> 1].right : tree.nodes[parent >> 1].left) = ref;
}

TL_DEVICE_END
