// Linear BVH. The tree is that of Karras 2012 ("Maximizing parallelism in the construction of BVHs,
// octrees, and k-d trees"): a node's primitives share a prefix of their sorted 63-bit Morton codes,
// equal codes being told apart by their place. It is emitted in one bottom-up pass with the boxes
// (Apetrei 2014, "Fast and simple agglomerative LBVH construction"), where the second child to
// reach its parent goes on.
#include "accel/bvh/lbvh.h"

#include "accel/bvh/atomics.h"
#include "accel/bvh/box_union.h"
#include "accel/bvh/morton.h"
#include "accel/parallel/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kUnvisited = 0xffffffffu;

/// Sorted codes, with distances that order the merges.
struct SortedCodes {
    View<const std::uint64_t> codes;

    struct Distance {
        std::uint64_t of_codes;
        std::uint32_t of_places;
    };
    /// How far place i is from i + 1: the higher the first bit in which they differ, the farther.
    TL_HD Distance distance(std::uint32_t i) const {
        return {codes[i] ^ codes[i + 1], i ^ (i + 1)};
    }
    TL_HD static bool nearer(Distance a, Distance b) {
        return a.of_codes != b.of_codes ? a.of_codes < b.of_codes : a.of_places < b.of_places;
    }
    /// Whether the node over places [first, last] is the left child of its parent.
    TL_HD bool is_left_child(std::uint32_t first, std::uint32_t last) const {
        if (first == 0) return true;
        if (last + 1 == codes.size) return false;
        return nearer(distance(last), distance(first - 1));
    }
};

/// A node is numbered by the last place of its left half.
TL_HD inline std::uint32_t parent_of(bool left, std::uint32_t first, std::uint32_t last) {
    return left ? last : first - 1;
}

void build_single(Stream& stream, View<const Box> boxes, Bvh2& tree) {
    auto nodes = tree.nodes.view();
    auto order = tree.order.view();
    auto root = tree.root.view();
    parallel_for(
        stream, "lbvh single", 1, TL_LAMBDA(std::uint32_t) {
            nodes[0].set_child(0, boxes[0], NodeRef::leaf(0, 1));
            nodes[0].set_missing_child(1);
            order[0] = 0;
            root[0] = 0;
        });
}

/// Fills `order` with the primitives along the curve and `sorted` with their codes.
void sort_along_curve(Scratch& scratch, View<const Box> boxes, View<std::uint64_t> sorted,
                      View<std::uint32_t> order) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto bounds = scratch.take<std::uint32_t>(kOrderedBoxSize);
    auto codes = scratch.take<std::uint64_t>(boxes.size);
    auto identity = scratch.take<std::uint32_t>(boxes.size);
    union_of_centers(stream, boxes, bounds);
    parallel_for(
        stream, "lbvh morton codes", static_cast<std::uint32_t>(boxes.size),
        TL_LAMBDA(std::uint32_t i) {
            codes[i] = morton_code_63(boxes[i].center(), box_from_ordered(bounds.data));
            identity[i] = i;
        });
    sort_pairs(scratch, codes, sorted, identity, order, 0, 63);
}

/// Climbs from every leaf: a node's first child to arrive leaves its far end behind and stops, the
/// second takes the union of both boxes on to the next parent.
void emit_hierarchy(Scratch& scratch, View<const Box> boxes, View<const std::uint64_t> sorted,
                    Bvh2& tree) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(boxes.size);
    auto far_end = scratch.take<std::uint32_t>(n - 1);
    fill(stream, far_end, kUnvisited);
    SortedCodes codes{sorted};
    auto nodes = tree.nodes.view();
    auto root = tree.root.view();
    View<const std::uint32_t> order = tree.order.view();
    parallel_for(
        stream, "lbvh hierarchy", n, TL_LAMBDA(std::uint32_t place) {
            std::uint32_t first = place, last = place;
            Box box = boxes[order[place]];
            NodeRef ref = NodeRef::leaf(place, 1);
            for (;;) {
                bool left = codes.is_left_child(first, last);
                std::uint32_t parent = parent_of(left, first, last);
                nodes[parent].set_child(left ? 0 : 1, box, ref);
                std::uint32_t other = atomic_exchange(&far_end[parent], left ? first : last);
                if (other == kUnvisited) return;
                (left ? last : first) = other;
                if (first == 0 && last == n - 1) {
                    root[0] = parent;
                    return;
                }
                box.extend(nodes[parent].box(left ? 1 : 0));
                ref = NodeRef::inner(parent);
            }
        });
}

class LbvhBuilder final : public TreeBuilder {
  public:
    void build(Scratch& scratch, View<const Box> boxes, Bvh2& tree) override {
        auto& stream = scratch.stream();
        auto n = static_cast<std::uint32_t>(boxes.size);
        tree.n_primitives = n;
        tree.nodes.resize_discard(stream, n > 1 ? n - 1 : n);
        tree.order.resize_discard(stream, n);
        tree.root.resize_discard(stream, 1);
        if (n == 0) return;
        if (n == 1) return build_single(stream, boxes, tree);
        Scratch::Scope scope(scratch);
        auto sorted = scratch.take<std::uint64_t>(n);
        sort_along_curve(scratch, boxes, sorted, tree.order.view());
        emit_hierarchy(scratch, boxes, sorted, tree);
    }
};

}  // namespace

std::unique_ptr<TreeBuilder> make_lbvh_builder() {
    return std::make_unique<LbvhBuilder>();
}

TL_DEVICE_END
