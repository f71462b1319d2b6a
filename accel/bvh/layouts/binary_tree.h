// Binary BVH in scratch memory: builders write it, converters read it. A 32-byte node holds its own
// box. Every traversal layout is converted from this tree.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// An inner node. Nodes may be numbered in any order; each child holds fewer primitives.
struct alignas(32) BinaryNode {
    vec3 lo;
    NodeRef left;
    vec3 hi;
    NodeRef right;

    [[nodiscard]] TL_HD Box box() const {
        Box b;
        b.lo = lo;
        b.hi = hi;
        return b;
    }
    [[nodiscard]] TL_HD NodeRef child(int side) const { return side ? right : left; }
};
static_assert(sizeof(BinaryNode) == 32 && offsetof(BinaryNode, hi) == 16);

/// Output size of one node in the traversal tree: one node in the upper 32 bits, and the `n_places`
/// leaf slots of its leaf children in the lower 32. A node inside a collapsed leaf and an unused
/// node have the code 0. Prefix sums of these codes give the positions of nodes and leaves.
TL_HD constexpr std::uint64_t output_size_of(std::uint32_t n_places) {
    return std::uint64_t(1) << 32 | n_places;
}

/// Views of a tree under construction, sized for the most references that the builder may make.
/// `order` has one element per reference; `nodes` and `output_sizes` have one less, but at least
/// one. A builder may point `order` to other scratch memory of its caller's scope.
struct BinaryTree {
    View<BinaryNode> nodes;
    /// Output size of each node, output_size_of(slots of its leaf children); 0 for nodes that the
    /// traversal tree omits.
    View<std::uint64_t> output_sizes;
    /// Leaf order: the reference (index into BuildInput::boxes) in each leaf slot.
    View<std::uint32_t> order;
    /// One element, zeroed before the builder runs. The builder sets root, n_nodes, n_valid,
    /// n_dropped and errors. The nodes are exactly [0, n_nodes), all reachable from the root.
    View<TreeHeader> header;
    /// Boxes of the references of a builder that splits primitives, in scratch memory of its
    /// caller's scope; `order` then indexes these. Empty for other builders.
    View<const Box> boxes{};
    /// Primitive of each element of `boxes`, in scratch memory of the caller's scope.
    View<const std::uint32_t> primitive_of{};
};

/// Collapses a subtree into one leaf if, by the surface-area heuristic, testing all its primitives
/// costs at most as much as visiting its nodes.
struct LeafPolicy {
    std::uint32_t max_size = 4;  ///< 1 to NodeRef::kMaxLeafSize
    float node_cost = 1;         ///< SAH cost of a node visit, in primitive tests

    /// Number of primitives of the leaf that replaces a node over two children; 1 if none does.
    TL_HD std::uint32_t size_of(float area, NodeRef left, float left_area, NodeRef right,
                                float right_area) const {
        if (!left.ends_in_leaf() || !right.ends_in_leaf()) return 1;
        std::uint32_t size = left.count() + right.count();
        if (size > max_size) return 1;
        float split = node_cost * area + static_cast<float>(left.count()) * left_area +
                      static_cast<float>(right.count()) * right_area;
        return static_cast<float>(size) * area <= split ? size : 1;
    }
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Output size, as output_size_of(), of a node that the traversal tree keeps, from its children.
TL_HD inline std::uint64_t output_size_of_children(NodeRef left, NodeRef right) {
    std::uint32_t n_places = 0;
    if (left.ends_in_leaf()) n_places += left.count();
    if (right.ends_in_leaf() && !right.is_missing()) n_places += right.count();
    return output_size_of(n_places);
}

/// Writes the tree of a single primitive, in leaf slot 0.
TL_HD inline void write_single_leaf(const BinaryTree& tree, const Box& box) {
    tree.nodes[0] = {box.lo, NodeRef::leaf(0, 1), box.hi, NodeRef::missing()};
    tree.output_sizes[0] = output_size_of(1);
    tree.header[0].root = 0;
    tree.header[0].n_nodes = 1;
}

TL_DEVICE_END
