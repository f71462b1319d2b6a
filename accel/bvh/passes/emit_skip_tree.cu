// Writes the nodes in two launches. The first climbs from the lowest inner nodes and counts the
// nodes of every subtree; of two threads that arrive at a node the second goes on. The second
// launch climbs from every inner node to the root: its position is the number of nodes above and to
// the left of it. It writes the node and the leaves that are its children.
#include "accel/bvh/passes/emit_skip_tree.h"

#include "accel/bvh/passes/refit.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

struct SkipEmitter {
    RefitView tree;
    View<std::uint32_t> n_below;     ///< nodes below each inner node; initially 0
    View<std::uint32_t> left_sizes;  ///< nodes of the subtree at its first child
    View<SkipNode> skip_nodes;
    View<std::uint32_t> n_nodes;

    /// Number of nodes of a child that is a leaf or missing; 0 for an inner node.
    TL_HD static std::uint32_t size_of_leaf(NodeRef ref) {
        return ref.is_leaf() && !ref.is_missing() ? 1 : 0;
    }

    /// Counts the nodes below inner node i, if it has no inner child, and below the nodes above it.
    TL_D void count_from(std::uint32_t i) const {
        const NodeRef child0 = tree.nodes[i].child0, child1 = tree.nodes[i].child1;
        if (child0.is_leaf()) left_sizes[i] = size_of_leaf(child0);
        if (!child0.is_leaf() || !child1.is_leaf()) return;
        n_below[i] = size_of_leaf(child0) + size_of_leaf(child1);
        std::uint32_t size = 1 + n_below[i];
        for (ParentRef parent = tree.parents[i]; !parent.is_root(); parent = tree.parents[i]) {
            i = parent.node();
            if (parent.side() == 0) left_sizes[i] = size;
            NodeRef sibling = tree.nodes[i].child(1 - parent.side());
            size += size_of_leaf(sibling);
            std::uint32_t before = atomic_add(&n_below[i], size);
            if (!sibling.is_leaf() && before == 0) return;  // the sibling's thread goes on
            size += 1 + before;
        }
    }
    /// Number of nodes before inner node i in depth-first order.
    [[nodiscard]] TL_D std::uint32_t position_of(std::uint32_t i) const {
        std::uint32_t position = 0;
        for (ParentRef parent = tree.parents[i]; !parent.is_root();
             parent = tree.parents[parent.node()])
            position += 1 + (parent.side() ? left_sizes[parent.node()] : 0);
        return position;
    }
    /// Union of the boxes of a node's children; a box at infinity if both are missing.
    TL_D static Box box_of(const BvhNode& node) {
        Box box;
        for (int side = 0; side < 2; ++side)
            if (node.box(side).lo.x < kInfinity) box.extend(node.box(side));
        return box.lo.x < kInfinity ? box : node.box(0);
    }
    /// Writes inner node i and its leaves.
    TL_D void write_node(std::uint32_t i) const {
        const BvhNode node = load_words(&tree.nodes[i]);
        const std::uint32_t n = 1 + n_below[tree.header[0].root], position = position_of(i);
        auto write = [&](std::uint32_t at, const Box& box, NodeRef leaf, std::uint32_t size) {
            skip_nodes[at] = {box.lo, leaf, box.hi, at + size < n ? at + size : SkipNode::kEnd};
        };
        write(position, box_of(node), NodeRef::missing(), 1 + n_below[i]);
        for (int side = 0; side < 2; ++side) {
            NodeRef child = node.child(side);
            if (!child.is_leaf() || child.is_missing()) continue;
            write(position + 1 + (side ? left_sizes[i] : 0), node.box(side), child, 1);
        }
        if (position == 0) n_nodes[0] = n;
    }
};

}  // namespace

void emit_skip_tree(Scratch& scratch, View<BvhNode> nodes, View<TreeHeader> header,
                    SkipTree& skip_tree) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(nodes.size);
    // One leaf more than inner nodes.
    skip_tree.nodes.resize_discard(stream, 2 * nodes.size + 1);
    skip_tree.n_nodes.resize_discard(stream, 1);
    SkipEmitter emitter{{nodes, scratch.take<ParentRef>(n), header},
                        scratch.take<std::uint32_t>(n),
                        scratch.take<std::uint32_t>(n),
                        skip_tree.nodes.view(),
                        skip_tree.n_nodes.view()};
    find_parents(stream, emitter.tree);
    stream.device().fill_zero(stream, emitter.n_below.data, n * sizeof(std::uint32_t));
    parallel_for(
        stream, "subtree sizes", n, TL_LAMBDA(std::uint32_t i) {
            if (i < emitter.tree.header[0].n_nodes) emitter.count_from(i);
        });
    parallel_for(
        stream, "emit skip nodes", n, TL_LAMBDA(std::uint32_t i) {
            if (i < emitter.tree.header[0].n_nodes) emitter.write_node(i);
        });
}

TL_DEVICE_END
