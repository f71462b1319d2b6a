// What builders write and converters read: a binary tree of 32-byte nodes with their own boxes, in
// scratch memory, from which every traversal layout is made.
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

/// An inner node. Nodes are numbered in any order; both children hold fewer primitives.
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

/// What a node becomes in the traversal tree: nothing (0: inside a collapsed leaf, or not in use),
/// or one node whose leaf children take `n_places` places. Their running sums place nodes and
/// leaves.
TL_HD constexpr std::uint64_t emission_of(std::uint32_t n_places) {
    return std::uint64_t(1) << 32 | n_places;
}

/// All views have room for the references that the builder may make: `order` one for each, `nodes`
/// and `emission` one less, but at least one. A builder may point `order` elsewhere in the scratch
/// memory of its caller's scope.
struct BinaryTree {
    View<BinaryNode> nodes;
    /// emission_of(places of the children that end in leaves) for nodes that stay, 0 for the
    /// others.
    View<std::uint64_t> emission;
    /// Reference (index into BuildInput::boxes) at each place that leaves name.
    View<std::uint32_t> order;
    /// One element, zeroed before the builder runs, which sets root, n_nodes, n_valid, n_dropped
    /// and errors. The nodes are exactly [0, n_nodes), all reached from the root.
    View<TreeHeader> header;
    /// A builder that cuts primitives gives the boxes of its own references here, in scratch memory
    /// of its caller's scope, and the primitives they are parts of; `order` then names those.
    View<const Box> boxes{};
    View<const std::uint32_t> primitive_of{};
};

/// When a subtree becomes one leaf: if testing all its primitives costs no more than visiting its
/// nodes, by the surface-area heuristic.
struct LeafPolicy {
    std::uint32_t max_size = 4;  ///< 1 to NodeRef::kMaxLeafSize
    float node_cost = 1;         ///< of a node visit, in primitive tests

    /// Primitives of the leaf that a node over two children becomes, or 1 if it stays a node.
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

/// The emission of a node that stays.
TL_HD inline std::uint64_t emission_of_children(NodeRef left, NodeRef right) {
    std::uint32_t n_places = 0;
    if (left.ends_in_leaf()) n_places += left.count();
    if (right.ends_in_leaf() && !right.is_missing()) n_places += right.count();
    return emission_of(n_places);
}

/// The tree of one primitive, at place 0.
TL_HD inline void write_single_leaf(const BinaryTree& tree, const Box& box) {
    tree.nodes[0] = {box.lo, NodeRef::leaf(0, 1), box.hi, NodeRef::missing()};
    tree.emission[0] = emission_of(1);
    tree.header[0].root = 0;
    tree.header[0].n_nodes = 1;
}

TL_DEVICE_END
