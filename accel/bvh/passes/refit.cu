#include "accel/bvh/passes/refit.h"

#include "accel/bvh/passes/refit_nodes.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Computes leaves' boxes from an array of the primitives' boxes.
struct BoxLeaves {
    View<const Box> boxes;
    View<const std::uint32_t> order;

    TL_D Box operator()(std::uint32_t first, std::uint32_t count) const {
        Box box;
        for (std::uint32_t place = first; place < first + count; ++place) {
            Box b = boxes[order[place]];
            if (b.is_valid()) box.extend(b);
        }
        return box;
    }
};

/// Half the surface area of a box; 0 for a box at infinity, which represents an empty one.
TL_HD float area_of(const Box& box) {
    return box.lo.x < kInfinity ? box.half_area() : 0.0f;
}

TL_HD float cost_of_children(const BvhNode& node) {
    float cost = 0;
    for (int side = 0; side < 2; ++side) {
        NodeRef child = node.child(side);
        if (child.is_missing()) continue;
        float n = child.is_leaf() ? static_cast<float>(child.count()) : 1.0f;
        cost += n * area_of(node.box(side));
    }
    return cost;
}

}  // namespace

void find_parents(Stream& stream, const RefitView& tree) {
    View<ParentRef> parents = tree.parents;
    View<const BvhNode> nodes = tree.nodes;
    View<const TreeHeader> header = tree.header;
    auto n = static_cast<std::uint32_t>(nodes.size);
    // The root, and nodes that are no node's child, keep kRoot.
    parallel_for(
        stream, "no parents", n,
        TL_LAMBDA(std::uint32_t i) { parents[i].bits = ParentRef::kRoot; });
    parallel_for(
        stream, "find parents", n, TL_LAMBDA(std::uint32_t i) {
            if (i >= header[0].n_nodes) return;
            for (int side = 0; side < 2; ++side) {
                NodeRef child = nodes[i].child(side);
                if (!child.is_leaf()) parents[child.node()] = ParentRef::of(i, side);
            }
        });
}

void refit(Stream& stream, const RefitView& tree, View<const Box> boxes,
           View<const std::uint32_t> order) {
    TL_ASSERT_OP(tree.parents.size, >=, tree.nodes.size);
    refit_nodes(stream, tree, BoxLeaves{boxes, order});
}

void measure_sah_cost(Scratch& scratch, const RefitView& tree, View<TreeCost> cost) {
    Scratch::Scope scope(scratch);
    View<const BvhNode> nodes = tree.nodes;
    View<const TreeHeader> header = tree.header;
    auto n = static_cast<std::uint32_t>(nodes.size);
    auto costs = scratch.take<float>(n);
    auto sum = scratch.take<float>(1);
    parallel_for(
        scratch.stream(), "node costs", n, TL_LAMBDA(std::uint32_t i) {
            costs[i] = i < header[0].n_nodes ? cost_of_children(nodes[i]) : 0.0f;
        });
    reduce<float>(scratch, costs, sum);
    parallel_for(
        scratch.stream(), "tree cost", 1, TL_LAMBDA(std::uint32_t) {
            const BvhNode& root = nodes[header[0].root];
            Box box;
            for (int side = 0; side < 2; ++side)
                if (root.box(side).lo.x < kInfinity) box.extend(root.box(side));
            float area = box.half_area();
            float now = area > 0 ? 1 + sum[0] / area : 0.0f;
            cost[0].now = now;
            if (cost[0].built == 0) cost[0].built = now;
        });
}

TL_DEVICE_END
