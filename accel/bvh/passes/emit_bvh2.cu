// Compacts the nodes by one scan over their output sizes. The upper halves of the sums number the
// kept nodes, the lower halves the slots of their leaves. Both keep the order of the builder's
// nodes. If a builder numbers nodes along a curve, the primitives thus stay in curve order.
#include "accel/bvh/passes/emit_bvh2.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

struct Emitter {
    View<const Box> boxes;
    View<const std::uint32_t> primitive_of;
    BinaryTree tree;
    View<const std::uint64_t> offsets;  // exclusive prefix sums of tree.output_sizes
    View<BvhNode> nodes;
    View<std::uint32_t> order;

    TL_HD static std::uint32_t node_of(std::uint64_t offset) {
        return static_cast<std::uint32_t>(offset >> 32);
    }
    TL_D Box box_of(NodeRef ref) const {
        if (!ref.is_leaf()) return load_words(&tree.nodes[ref.node()]).box();
        Box box;
        for (std::uint32_t k = 0; k < ref.count(); ++k)
            box.extend(boxes[tree.order[ref.first() + k]]);
        return box;
    }
    /// Writes the primitives below `ref` to consecutive leaf slots, from the given one on.
    TL_D void write_leaf(NodeRef ref, std::uint32_t place) const {
        NodeRef pending[NodeRef::kMaxLeafSize];
        int n_pending = 0;
        for (;;) {
            if (ref.is_leaf()) {
                for (std::uint32_t k = 0; k < ref.count(); ++k) {
                    std::uint32_t reference = tree.order[ref.first() + k];
                    order[place++] = primitive_of.empty() ? reference : primitive_of[reference];
                }
                if (n_pending == 0) return;
                ref = pending[--n_pending];
            } else {
                const BinaryNode& node = tree.nodes[ref.node()];
                pending[n_pending++] = node.right;
                ref = node.left;
            }
        }
    }
    TL_D void write_node(std::uint32_t i) const {
        const BinaryNode from = load_words(&tree.nodes[i]);
        std::uint64_t offset = offsets[i];
        auto place = static_cast<std::uint32_t>(offset);
        BvhNode to;
        to.unused0 = to.unused1 = 0;
        for (int side = 0; side < 2; ++side) {
            NodeRef child = from.child(side);
            if (child.is_missing()) {
                to.set_missing_child(side);
            } else if (child.ends_in_leaf()) {
                to.set_child(side, box_of(child), NodeRef::leaf(place, child.count()));
                write_leaf(child, place);
                place += child.count();
            } else {
                to.set_child(side, box_of(child), NodeRef::inner(node_of(offsets[child.node()])));
            }
        }
        nodes[node_of(offset)] = to;
    }
    /// Sets the header's counts and root. Called by the thread of the last node.
    TL_D void write_header(std::uint64_t total) const {
        TreeHeader& header = tree.header[0];
        header.n_nodes = node_of(total);
        header.n_places = static_cast<std::uint32_t>(total);
        header.root = header.n_valid ? node_of(offsets[header.root]) : 0;
        if (header.n_valid) return;
        header.n_nodes = 1;
        header.n_places = 0;
        nodes[0].set_missing_child(0);
        nodes[0].set_missing_child(1);
    }
};

}  // namespace

void emit_bvh2(Scratch& scratch, const BuildInput& input, const BinaryTree& tree,
               View<BvhNode> nodes, View<std::uint32_t> order) {
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(tree.nodes.size);
    auto offsets = scratch.take<std::uint64_t>(n);
    exclusive_scan<std::uint64_t>(scratch, tree.output_sizes, offsets);
    Emitter emitter{input.boxes, input.primitive_of, tree, offsets, nodes, order};
    parallel_for(
        scratch.stream(), "emit nodes", n, TL_LAMBDA(std::uint32_t i) {
            bool stays = emitter.tree.output_sizes[i] != 0 && emitter.tree.header[0].n_valid > 0;
            if (stays) emitter.write_node(i);
            if (i == n - 1) emitter.write_header(emitter.offsets[i] + emitter.tree.output_sizes[i]);
        });
}

TL_DEVICE_END
