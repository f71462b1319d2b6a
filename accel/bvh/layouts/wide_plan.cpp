#include "accel/bvh/layouts/wide_plan.h"

#include <tbb/parallel_invoke.h>

#include <algorithm>

namespace tl {
namespace {

/// Levels below the root whose children are separate tasks. There are many more tasks than threads,
/// since subtrees differ in size.
constexpr int kTaskDepth = 10;

/// Half the surface area of a box. A refit puts boxes without valid primitives at infinity; their
/// area counts as 0.
float area_of(const Box& box) {
    float area = box.half_area();
    return area > 0 && area < kInfinity ? area : 0;
}

}  // namespace

float WidePlan::cost(const BvhNode& node, int side, int slots) const {
    NodeRef ref = node.child(side);
    if (ref.is_missing()) return 0;
    return ref.is_leaf() ? area_of(node.box(side)) : costs_[ref.node()][slots - 1];
}

WidePlan::Split WidePlan::split(const BvhNode& node, int slots) const {
    Split best;
    for (int left = 1; left < slots; ++left) {
        float sum = cost(node, 0, left) + cost(node, 1, slots - left);
        if (sum < best.cost) best = {left, sum};
    }
    return best;
}

void WidePlan::plan(std::uint32_t index, const Box& box, int depth) {
    const BvhNode& node = nodes_[index];
    auto below = [&](int side) {
        NodeRef ref = node.child(side);
        if (!ref.is_missing() && !ref.is_leaf()) plan(ref.node(), node.box(side), depth + 1);
    };
    if (depth < kTaskDepth)
        tbb::parallel_invoke([&] { below(0); }, [&] { below(1); });
    else
        below(0), below(1);
    Costs& costs = costs_[index];
    costs[0] = area_of(box) + split(node, kWide).cost;
    for (int slots = 2; slots < kWide; ++slots)
        costs[slots - 1] = std::min(costs[slots - 2], split(node, slots).cost);
}

void WidePlan::make(View<const BvhNode> nodes, std::uint32_t root) {
    nodes_ = nodes;
    costs_.resize(nodes.size);
    Box box;
    for (int side = 0; side < 2; ++side)
        if (!nodes[root].child(side).is_missing()) box.extend(nodes[root].box(side));
    plan(root, box, 0);
}

void WidePlan::open(const BvhNode& node, int slots, PlannedChildren& children) const {
    int left = split(node, slots).left;
    for (int side = 0; side < 2; ++side) {
        NodeRef ref = node.child(side);
        if (ref.is_missing()) continue;
        int own = side ? slots - left : left;
        if (!ref.is_leaf()) {
            const Costs& costs = costs_[ref.node()];
            while (own > 1 && costs[own - 1] == costs[own - 2]) --own;
            if (own > 1) {
                open(nodes_[ref.node()], own, children);
                continue;
            }
        }
        children.boxes[children.count] = node.box(side);
        children.refs[children.count] = ref;
        ++children.count;
    }
}

PlannedChildren WidePlan::children(std::uint32_t node) const {
    PlannedChildren children;
    open(nodes_[node], kWide, children);
    return children;
}

}  // namespace tl
