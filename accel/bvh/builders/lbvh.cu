// Linear BVH (LBVH). The tree is that of Karras 2012 ("Maximizing parallelism in the construction
// of BVHs, octrees, and k-d trees"): a node's primitives share a prefix of their sorted Morton
// codes. Equal codes are distinguished by their positions. One bottom-up pass writes nodes and
// boxes (Apetrei 2014, "Fast and simple agglomerative LBVH construction"): the second child to
// reach its parent continues. Unlike in the papers, the pass also decides which subtrees become
// leaves.
#include "accel/bvh/builders/builder_configs.h"
#include "accel/bvh/builders/lbvh.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

struct Climber {
    View<const Box> boxes;
    CurveOrder curve;
    BinaryTree tree;
    LeafPolicy leaves;
    /// Data of the first child to arrive at each node: the far end of its range and the reference
    /// to it.
    View<std::uint64_t> first_arrival;

    TL_D Box box_of(NodeRef ref) const {
        if (ref.is_leaf()) return boxes[tree.order[ref.first()]];
        return load_fresh(&tree.nodes[ref.node()]).box();
    }
    TL_D void climb_from(std::uint32_t place) const {
        std::uint32_t n = tree.header[0].n_valid;
        if (place == 0) tree.header[0].n_nodes = n > 1 ? n - 1 : n;
        if (place >= n) {
            if (place >= 2 || n == 0) tree.output_sizes[place ? place - 1 : 0] = 0;
            return;
        }
        std::uint32_t first = place, last = place;
        Box box = boxes[tree.order[place]];
        if (n == 1) return write_single_leaf(tree, box);
        NodeRef ref = NodeRef::leaf(place, 1);
        for (;;) {
            bool left = curve.is_left_child(first, last, n);
            std::uint32_t parent = left ? last : first - 1;
            std::uint64_t mine = std::uint64_t(left ? first : last) << 32 | ref.bits;
            std::uint64_t other = atomic_exchange(&first_arrival[parent], mine);
            if (other == kUnvisited) return;
            (left ? last : first) = static_cast<std::uint32_t>(other >> 32);
            NodeRef other_ref{static_cast<std::uint32_t>(other)};
            Box other_box = box_of(other_ref);
            float area = box.half_area(), other_area = other_box.half_area();
            box.extend(other_box);
            NodeRef children[2] = {left ? ref : other_ref, left ? other_ref : ref};
            tree.nodes[parent] = {box.lo, children[0], box.hi, children[1]};
            bool is_root = first == 0 && last == n - 1;
            std::uint32_t size =
                is_root ? 1 : leaves.size_of(box.half_area(), ref, area, other_ref, other_area);
            tree.output_sizes[parent] =
                size > 1 ? 0 : output_size_of_children(children[0], children[1]);
            if (is_root) {
                tree.header[0].root = parent;
                tree.header[0].n_nodes = n - 1;
                return;
            }
            ref = NodeRef::collapsed(parent, size);
        }
    }
};

}  // namespace

void join_along_curve(Scratch& scratch, View<const Box> boxes, const CurveOrder& curve,
                      const LeafPolicy& leaves, BinaryTree& tree) {
    auto first_arrival = scratch.take<std::uint64_t>(tree.nodes.size);
    fill<std::uint64_t>(scratch.stream(), first_arrival, kUnvisited);
    Climber climber{boxes, curve, tree, leaves, first_arrival};
    parallel_for(
        scratch.stream(), "lbvh hierarchy", static_cast<std::uint32_t>(boxes.size),
        TL_LAMBDA(std::uint32_t place) { climber.climb_from(place); });
}

namespace {

class LbvhBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto curve = sort_along_curve(scratch, input, tree, config_.code_bits);
        join_along_curve(scratch, input.boxes, curve, input.leaves, tree);
    }
    Settings settings() override { return config_.settings(); }

  private:
    LbvhConfig config_;
};

}  // namespace

std::unique_ptr<TreeBuilder> make_lbvh_builder() {
    return std::make_unique<LbvhBuilder>();
}

TL_DEVICE_END
