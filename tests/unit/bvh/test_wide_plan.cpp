// Compares the choice of children of wide nodes with all possible choices, on small trees.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "accel/bvh/layouts/wide_plan.h"

namespace tl::wide_plan_tests {
namespace {

/// A random tree over `n_leaves` boxes; node 0 is the root.
std::vector<BvhNode> random_tree(std::mt19937& engine, int n_leaves) {
    std::uniform_real_distribution<float> position(-10, 10), size(0.01f, 3);
    struct Part {
        Box box;
        NodeRef ref;
    };
    std::vector<Part> parts;
    for (int i = 0; i < n_leaves; ++i) {
        Part part{{}, NodeRef::leaf(static_cast<std::uint32_t>(i), 1)};
        part.box.lo = vec3(position(engine), position(engine), position(engine));
        part.box.hi = part.box.lo + vec3(size(engine), size(engine), size(engine));
        parts.push_back(part);
    }
    std::vector<BvhNode> nodes;
    while (parts.size() > 1) {
        std::swap(parts[engine() % parts.size()], parts.back());
        Part a = parts.back();
        parts.pop_back();
        std::size_t other = engine() % parts.size();
        BvhNode node{};
        node.set_child(0, a.box, a.ref);
        node.set_child(1, parts[other].box, parts[other].ref);
        parts[other].box.extend(a.box);
        parts[other].ref = NodeRef::inner(static_cast<std::uint32_t>(nodes.size()));
        nodes.push_back(node);
    }
    // The root was created last but must be first.
    auto root = static_cast<std::uint32_t>(nodes.size() - 1);
    std::swap(nodes[0], nodes[root]);
    for (auto& node : nodes)
        for (int side = 0; side < 2; ++side) {
            NodeRef ref = node.child(side);
            if (ref.is_leaf()) continue;
            std::uint32_t to = ref.node() == 0 ? root : ref.node();
            node.set_child(side, node.box(side), NodeRef::inner(to));
        }
    return nodes;
}

using Nodes = std::vector<BvhNode>;

struct Child {
    Box box;
    NodeRef ref;
};
using Cut = std::vector<Child>;

/// All cuts of a child's subtree: the child itself, or each cut of its left part combined with each
/// of its right part.
std::vector<Cut> cuts_of(const Nodes& nodes, const Child& child);

std::vector<Cut> cuts_below(const Nodes& nodes, std::uint32_t node) {
    std::vector<Cut> cuts;
    for (auto& left : cuts_of(nodes, {nodes[node].box(0), nodes[node].child(0)}))
        for (auto& right : cuts_of(nodes, {nodes[node].box(1), nodes[node].child(1)})) {
            cuts.push_back(left);
            cuts.back().insert(cuts.back().end(), right.begin(), right.end());
        }
    return cuts;
}

std::vector<Cut> cuts_of(const Nodes& nodes, const Child& child) {
    std::vector<Cut> cuts{{child}};
    if (child.ref.is_leaf()) return cuts;
    for (auto& cut : cuts_below(nodes, child.ref.node())) cuts.push_back(cut);
    return cuts;
}

/// The minimum cost below a wide node that replaces `node`, over all cuts of up to eight children.
double least_below(const Nodes& nodes, std::uint32_t node, std::map<std::uint32_t, double>& known) {
    if (auto at = known.find(node); at != known.end()) return at->second;
    double least = kInfinity;
    for (auto& cut : cuts_below(nodes, node)) {
        if (cut.size() > kWide) continue;
        double sum = 0;
        for (auto& child : cut) {
            sum += child.box.half_area();
            if (!child.ref.is_leaf()) sum += least_below(nodes, child.ref.node(), known);
        }
        least = std::min(least, sum);
    }
    return known[node] = least;
}

/// The plan's cost below the wide node that replaces `node`. Counts the leaves.
double planned_below(const WidePlan& plan, std::uint32_t node, int& n_leaves) {
    PlannedChildren children = plan.children(node);
    EXPECT_LE(children.count, kWide);
    double sum = 0;
    for (int i = 0; i < children.count; ++i) {
        sum += children.boxes[static_cast<std::size_t>(i)].half_area();
        NodeRef ref = children.refs[static_cast<std::size_t>(i)];
        if (ref.is_leaf())
            ++n_leaves;
        else
            sum += planned_below(plan, ref.node(), n_leaves);
    }
    return sum;
}

}  // namespace

TEST(WidePlan, CostsTheLeastOfAllWays) {
    std::mt19937 engine(11);
    WidePlan plan;
    for (int n_leaves : {2, 3, 7, 8, 9, 10, 12, 16})
        for (int repeat = 0; repeat < 8; ++repeat) {
            Nodes nodes = random_tree(engine, n_leaves);
            plan.make({nodes.data(), nodes.size()}, 0);
            int n_reached = 0;
            double planned = planned_below(plan, 0, n_reached);
            EXPECT_EQ(n_reached, n_leaves);
            std::map<std::uint32_t, double> known;
            double least = least_below(nodes, 0, known);
            EXPECT_NEAR(planned, least, 1e-5 * least) << n_leaves;  // floats against doubles
        }
}

TEST(WidePlan, TakesMissingChildrenAndBoxesAtInfinity) {
    Box box;
    box.lo = vec3(0), box.hi = vec3(1);
    Nodes nodes(2);
    nodes[0].set_child(0, box, NodeRef::inner(1));
    nodes[0].set_missing_child(1);
    Box far;
    far.lo = far.hi = vec3(kInfinity);
    nodes[1].set_child(0, box, NodeRef::leaf(0, 2));
    nodes[1].set_child(1, far, NodeRef::leaf(2, 1));
    WidePlan plan;
    plan.make({nodes.data(), nodes.size()}, 0);
    int n_reached = 0;
    PlannedChildren children = plan.children(0);
    ASSERT_GE(children.count, 1);
    (void)planned_below(plan, 0, n_reached);
    EXPECT_EQ(n_reached, 2);
}

}  // namespace tl::wide_plan_tests
