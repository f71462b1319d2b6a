// Bottom-up leaf creation. One thread per node without inner children climbs while its subtree
// collapses. At a node with two inner children, the second thread to arrive continues. A node that
// is kept ends the climb, since no node above it can become a leaf. Nodes are not modified until
// the last pass, which writes the results of the climbs into the references.
#include "accel/bvh/passes/mark_leaves.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

struct LeafMarker {
    View<const Box> boxes;
    BinaryTree tree;
    LeafPolicy leaves;
    View<std::uint32_t> parents;
    View<std::uint32_t> sizes;  ///< primitives of the leaf that replaces a node, or 1
    /// Leaf size that the first of two inner children to arrive stores for its parent; 0 before.
    View<std::uint32_t> first_arrival;

    TL_D std::uint32_t n_nodes() const { return tree.header[0].n_nodes; }

    TL_D void link(std::uint32_t i) const {
        if (i >= n_nodes()) return;
        sizes[i] = 1;
        first_arrival[i] = 0;
        for (int side = 0; side < 2; ++side) {
            NodeRef child = tree.nodes[i].child(side);
            if (!child.is_leaf()) parents[child.node()] = i;
        }
    }

    TL_D float area_of(NodeRef ref) const {
        if (!ref.is_leaf()) return tree.nodes[ref.node()].box().half_area();
        Box box;
        for (std::uint32_t k = 0; k < ref.count(); ++k)
            box.extend(boxes[tree.order[ref.first() + k]]);
        return box.half_area();
    }
    TL_D void climb_from(std::uint32_t i) const {
        std::uint32_t root = tree.header[0].root;
        if (i >= n_nodes() || i == root) return;
        BinaryNode node = tree.nodes[i];
        if (!node.left.is_leaf() || !node.right.is_leaf()) return;
        for (;;) {
            if (node.left.count() + node.right.count() > leaves.max_size) return;
            std::uint32_t size =
                leaves.size_of(node.box().half_area(), node.left, area_of(node.left), node.right,
                               area_of(node.right));
            if (size == 1) return;
            sizes[i] = size;
            std::uint32_t parent = parents[i];
            if (parent == root) return;
            node = tree.nodes[parent];
            int side = !node.left.is_leaf() && node.left.node() == i ? 0 : 1;
            NodeRef& mine = side ? node.right : node.left;
            NodeRef& other = side ? node.left : node.right;
            mine = NodeRef::collapsed(i, size);
            if (!other.is_leaf()) {
                std::uint32_t other_size = atomic_exchange(&first_arrival[parent], size);
                if (other_size == 0) return;
                other = NodeRef::collapsed(other.node(), other_size);
            }
            i = parent;
        }
    }

    TL_D NodeRef marked(NodeRef ref) const {
        return ref.is_leaf() ? ref : NodeRef::collapsed(ref.node(), sizes[ref.node()]);
    }
    TL_D void write(std::uint32_t i) const {
        tree.output_sizes[i] = 0;
        if (i >= n_nodes()) return;
        BinaryNode& node = tree.nodes[i];
        NodeRef left = marked(node.left), right = marked(node.right);
        node.left = left;
        node.right = right;
        if (sizes[i] == 1) tree.output_sizes[i] = output_size_of_children(left, right);
    }
};

}  // namespace

void mark_leaves(Scratch& scratch, const BuildInput& input, BinaryTree& tree) {
    Scratch::Scope scope(scratch);
    std::size_t capacity = tree.nodes.size;
    LeafMarker marker{input.boxes,
                      tree,
                      input.leaves,
                      scratch.take<std::uint32_t>(capacity),
                      scratch.take<std::uint32_t>(capacity),
                      scratch.take<std::uint32_t>(capacity)};
    auto n = static_cast<std::uint32_t>(capacity);
    auto& stream = scratch.stream();
    parallel_for(
        stream, "link parents", n, TL_LAMBDA(std::uint32_t i) { marker.link(i); });
    parallel_for(
        stream, "collapse leaves", n, TL_LAMBDA(std::uint32_t i) { marker.climb_from(i); });
    parallel_for(
        stream, "mark leaves", n, TL_LAMBDA(std::uint32_t i) { marker.write(i); });
}

TL_DEVICE_END
