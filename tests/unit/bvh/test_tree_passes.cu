// Passes that work on any builder's binary tree: the marking of leaves and the optimisation of
// treelets.
#include <algorithm>
#include <functional>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/passes/mark_leaves.h"
#include "accel/bvh/passes/optimize_treelets.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Corners on a small integer grid: areas and sums are exact, so devices agree.
std::vector<Box> grid_boxes(std::size_t n, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> position(0, 63), extent(0, 8);
    std::vector<Box> boxes(n);
    for (auto& box : boxes)
        for (int axis = 0; axis < 3; ++axis) {
            box.lo[axis] = static_cast<float>(position(engine));
            box.hi[axis] = box.lo[axis] + static_cast<float>(extent(engine));
        }
    return boxes;
}

/// A binary tree on the host.
struct HostTree {
    std::vector<BinaryNode> nodes;
    std::vector<std::uint64_t> output_sizes;
    std::vector<std::uint32_t> order;
    TreeHeader header;
};

/// A randomly split tree with leaves of up to `max_leaf` and randomly numbered nodes.
HostTree random_tree(const std::vector<Box>& boxes, std::uint32_t max_leaf, unsigned seed) {
    std::mt19937 engine(seed);
    auto n = static_cast<std::uint32_t>(boxes.size());
    HostTree tree;
    tree.order.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) tree.order[i] = i;
    std::shuffle(tree.order.begin(), tree.order.end(), engine);
    std::uint32_t capacity = std::max(n, 2u) - 1;
    tree.output_sizes.assign(capacity, 77);
    tree.header.n_valid = n;

    auto draw = [&](std::uint32_t lo, std::uint32_t hi) {
        return std::uniform_int_distribution<std::uint32_t>(lo, hi)(engine);
    };
    std::vector<BinaryNode> made;
    std::function<NodeRef(std::uint32_t, std::uint32_t, Box&)> cut =
        [&](std::uint32_t first, std::uint32_t last, Box& box) {
            for (std::uint32_t i = first; i < last; ++i) box.extend(boxes[tree.order[i]]);
            std::uint32_t count = last - first;
            if (count == 1 || (count <= max_leaf && draw(0, 1))) return NodeRef::leaf(first, count);
            std::uint32_t middle = draw(first + 1, last - 1);
            Box ignored[2];
            NodeRef left = cut(first, middle, ignored[0]);
            NodeRef right = cut(middle, last, ignored[1]);
            made.push_back({box.lo, left, box.hi, right});
            return NodeRef::inner(static_cast<std::uint32_t>(made.size() - 1));
        };
    Box box;
    NodeRef root = n ? cut(0, n, box) : NodeRef::inner(0);
    if (root.is_leaf()) {
        made.push_back({box.lo, root, box.hi, NodeRef::missing()});
        root = NodeRef::inner(0);
    }
    std::vector<std::uint32_t> number(made.size());
    for (std::uint32_t i = 0; i < number.size(); ++i) number[i] = i;
    std::shuffle(number.begin(), number.end(), engine);
    tree.nodes.resize(capacity);
    for (std::uint32_t i = 0; i < made.size(); ++i) {
        BinaryNode node = made[i];
        // Collapsed bits of an earlier pass must be ignored.
        if (!node.left.is_leaf()) node.left = NodeRef::collapsed(number[node.left.node()], 3);
        if (!node.right.is_leaf()) node.right = NodeRef::inner(number[node.right.node()]);
        tree.nodes[number[i]] = node;
    }
    tree.header.n_nodes = static_cast<std::uint32_t>(made.size());
    tree.header.root = made.empty() ? 0 : number[root.node()];
    return tree;
}

/// Without the collapsed bits.
HostTree unmarked(HostTree tree) {
    for (std::uint32_t i = 0; i < tree.header.n_nodes; ++i) {
        NodeRef& left = tree.nodes[i].left;
        if (!left.is_leaf()) left = NodeRef::inner(left.node());
    }
    return tree;
}

/// Reference implementation of mark_leaves, by recursion; returns the new child reference.
NodeRef mark_below(HostTree& tree, const std::vector<Box>& boxes, const LeafPolicy& leaves,
                   NodeRef ref, Box& box) {
    if (ref.is_leaf()) {
        for (std::uint32_t k = 0; k < ref.count() && !ref.is_missing(); ++k)
            box.extend(boxes[tree.order[ref.first() + k]]);
        return ref;
    }
    BinaryNode& node = tree.nodes[ref.node()];
    Box child_boxes[2];
    node.left = mark_below(tree, boxes, leaves, node.left, child_boxes[0]);
    node.right = mark_below(tree, boxes, leaves, node.right, child_boxes[1]);
    for (auto& child : child_boxes) box.extend(child);
    std::uint32_t size = leaves.size_of(box.half_area(), node.left, child_boxes[0].half_area(),
                                        node.right, child_boxes[1].half_area());
    if (ref.node() == tree.header.root) size = 1;
    tree.output_sizes[ref.node()] = size > 1 ? 0 : output_size_of_children(node.left, node.right);
    return NodeRef::collapsed(ref.node(), size);
}

HostTree marked_on_host(HostTree tree, const std::vector<Box>& boxes, const LeafPolicy& leaves) {
    std::fill(tree.output_sizes.begin(), tree.output_sizes.end(), 0);
    Box box;
    if (tree.header.n_nodes) mark_below(tree, boxes, leaves, NodeRef::inner(tree.header.root), box);
    return tree;
}

/// The tree after `pass(input, tree)` on the device.
template <class Pass>
HostTree passed_on_device(Stream& stream, const HostTree& tree, const std::vector<Box>& boxes,
                          const LeafPolicy& leaves, Pass&& pass) {
    DeviceArray<Box> box_array(stream, std::span<const Box>(boxes));
    DeviceArray<BinaryNode> nodes(stream, std::span<const BinaryNode>(tree.nodes));
    DeviceArray<std::uint64_t> output_sizes(stream,
                                            std::span<const std::uint64_t>(tree.output_sizes));
    DeviceArray<std::uint32_t> order(stream, std::span<const std::uint32_t>(tree.order));
    DeviceArray<TreeHeader> header(stream, std::span<const TreeHeader>(&tree.header, 1));
    BuildInput input;
    input.boxes = box_array.view();
    input.leaves = leaves;
    BinaryTree on_device{nodes.view(), output_sizes.view(), order.view(), header.view()};
    pass(input, on_device);
    HostTree after = tree;
    after.nodes = nodes.download(stream);
    after.output_sizes = output_sizes.download(stream);
    return after;
}

void expect_same_leaves(const HostTree& a, const HostTree& b) {
    ASSERT_EQ(a.output_sizes, b.output_sizes);
    for (std::uint32_t i = 0; i < a.header.n_nodes; ++i) {
        ASSERT_EQ(a.nodes[i].left.bits, b.nodes[i].left.bits) << "node " << i;
        ASSERT_EQ(a.nodes[i].right.bits, b.nodes[i].right.bits) << "node " << i;
    }
}

/// Traverses the tree: visits every node and leaf slot once, and every box is tight. Returns the
/// surface-area cost, not divided by the root's area; subtrees become leaves where that is cheaper.
double checked_cost(const HostTree& tree, const std::vector<Box>& boxes, const LeafPolicy& policy) {
    std::vector<bool> node_seen(tree.header.n_nodes), place_seen(tree.header.n_valid);
    struct Below {
        double cost;
        std::uint32_t n;
        Box box;
    };
    std::function<Below(NodeRef)> walk = [&](NodeRef ref) {
        Below below{0, 0, {}};
        if (ref.is_missing()) return below;
        if (ref.is_leaf()) {
            below.n = ref.count();
            for (std::uint32_t place = ref.first(); place < ref.first() + ref.count(); ++place) {
                EXPECT_FALSE(place_seen.at(place)) << "place " << place;
                place_seen[place] = true;
                below.box.extend(boxes[tree.order[place]]);
            }
            below.cost = double(below.n) * below.box.half_area();
            return below;
        }
        EXPECT_FALSE(node_seen.at(ref.bits)) << "node " << ref.bits;
        node_seen[ref.bits] = true;
        const BinaryNode& node = tree.nodes[ref.bits];
        Below children[2] = {walk(node.left), walk(node.right)};
        for (auto& child : children) {
            below.cost += child.cost;
            below.n += child.n;
            below.box.extend(child.box);
        }
        EXPECT_EQ(below.box.lo, node.lo) << "node " << ref.bits;
        EXPECT_EQ(below.box.hi, node.hi) << "node " << ref.bits;
        double area = below.box.half_area();
        below.cost += policy.node_cost * area;
        if (below.n <= policy.max_size) below.cost = std::min(below.cost, below.n * area);
        return below;
    };
    double cost = walk(NodeRef::inner(tree.header.root)).cost;
    EXPECT_EQ(std::count(node_seen.begin(), node_seen.end(), true), tree.header.n_nodes);
    EXPECT_EQ(std::count(place_seen.begin(), place_seen.end(), true), tree.header.n_valid);
    return cost;
}

/// The cost of the best of all trees over the boxes in `subset`.
double best_cost(const std::vector<Box>& boxes, const LeafPolicy& policy, std::uint32_t subset) {
    Box box;
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (subset >> i & 1) {
            box.extend(boxes[i]);
            ++n;
        }
    double area = box.half_area();
    if (n == 1) return area;
    double best = kInfinity;
    for (std::uint32_t part = (subset - 1) & subset; part > 0; part = (part - 1) & subset)
        best = std::min(best,
                        best_cost(boxes, policy, part) + best_cost(boxes, policy, subset ^ part));
    best += policy.node_cost * area;
    return n <= policy.max_size ? std::min(best, n * area) : best;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(MarkLeaves, SameLeavesAsByRecursion) {
    for (std::size_t n : {0, 1, 2, 3, 5, 8, 100, 5000, 30000})
        for (std::uint32_t max_leaf : {1, 3})
            for (auto leaves : {LeafPolicy{1, 1}, LeafPolicy{4, 1}, LeafPolicy{8, 2}}) {
                SCOPED_TRACE(testing::Message() << n << " boxes, leaves of " << max_leaf << ", to "
                                                << leaves.max_size);
                auto boxes = grid_boxes(n);
                HostTree tree = random_tree(boxes, max_leaf, static_cast<unsigned>(n));
                HostTree expected = marked_on_host(tree, boxes, leaves);
                auto mark = [&](const BuildInput& input, BinaryTree& on_device) {
                    mark_leaves(scratch, input, on_device);
                };
                expect_same_leaves(passed_on_device(stream, tree, boxes, leaves, mark), expected);
                if (n < 100 || max_leaf > 1 || leaves.max_size < 8) continue;
                EXPECT_GT(
                    std::count(expected.output_sizes.begin(), expected.output_sizes.end(), 0u), 0);
            }
}

TL_DEVICE_TEST(MarkLeaves, FindsTheLeavesThatLbvhMarksOnItsWayUp) {
    auto boxes = grid_boxes(10000);
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    BuildInput input;
    input.boxes = on_device.view();
    DeviceArray<BinaryNode> nodes(stream, boxes.size() - 1);
    DeviceArray<std::uint64_t> output_sizes(stream, boxes.size() - 1);
    DeviceArray<std::uint32_t> order(stream, boxes.size());
    DeviceArray<TreeHeader> header(stream, 1);
    header.fill_zero(stream);
    BinaryTree tree{nodes.view(), output_sizes.view(), order.view(), header.view()};
    Scratch::Scope scope(scratch);
    make_tree_builder("lbvh", stream.device())->build(scratch, input, tree);
    HostTree by_lbvh;
    auto download = [&] {
        by_lbvh.nodes = nodes.download(stream);
        by_lbvh.output_sizes = output_sizes.download(stream);
        by_lbvh.header = header.download(stream)[0];
    };
    download();
    HostTree before = by_lbvh;
    mark_leaves(scratch, input, tree);
    download();
    EXPECT_EQ(by_lbvh.header.n_nodes, boxes.size() - 1);
    expect_same_leaves(before, by_lbvh);
}

TL_DEVICE_TEST(Treelets, SevenLeavesBecomeTheBestTree) {
    for (unsigned seed = 0; seed < 6; ++seed)
        for (auto leaves : {LeafPolicy{1, 1}, LeafPolicy{4, 0.5f}}) {
            auto boxes = grid_boxes(7, seed);
            HostTree tree = random_tree(boxes, 1, seed);
            auto optimize = [&](const BuildInput& input, BinaryTree& on_device) {
                optimize_treelets(scratch, input, on_device, 1);
            };
            HostTree best = passed_on_device(stream, tree, boxes, leaves, optimize);
            EXPECT_EQ(checked_cost(best, boxes, leaves), best_cost(boxes, leaves, 127)) << seed;
        }
}

TL_DEVICE_TEST(Treelets, TheTreeStaysATreeAndItsCostFalls) {
    for (std::size_t n : {0, 1, 2, 3, 6, 7, 8, 40, 3000, 20000})
        for (std::uint32_t max_leaf : {1, 8}) {
            SCOPED_TRACE(testing::Message() << n << " boxes, leaves of " << max_leaf);
            LeafPolicy leaves{4, 1};
            auto boxes = grid_boxes(n);
            HostTree tree = random_tree(boxes, max_leaf, static_cast<unsigned>(n));
            double cost = n ? checked_cost(unmarked(tree), boxes, leaves) : 0;
            for (int n_rounds : {1, 2, 3}) {
                auto optimize = [&](const BuildInput& input, BinaryTree& on_device) {
                    optimize_treelets(scratch, input, on_device, n_rounds);
                };
                HostTree after = passed_on_device(stream, tree, boxes, leaves, optimize);
                if (n == 0) continue;
                double cost_after = checked_cost(after, boxes, leaves);
                EXPECT_LE(cost_after, cost * 1.000001) << n_rounds << " rounds";
                if (n > 1000) {
                    EXPECT_LT(cost_after, cost * (n_rounds == 1 ? 0.92 : 0.999));
                }
                cost = cost_after;
            }
        }
}

TL_DEVICE_TEST(Treelets, MakeLinearTreesCheaper) {
    // Boxes of very different sizes, for which Morton order, which uses only centres, is poor.
    std::mt19937 engine(3);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Box> boxes(20000);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        vec3 at = 100.0f * vec3(unit(engine), unit(engine), unit(engine));
        float size = std::pow(10.0f, 2.5f * unit(engine) - 1);
        boxes[i].lo = at;
        boxes[i].hi = at + size * vec3(unit(engine), 0.1f * unit(engine), unit(engine));
    }
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    BuildInput input;
    input.boxes = on_device.view();
    Tree tree;
    for (int max_leaf_size : {1, 4}) {
        tree.config.max_leaf_size = max_leaf_size;
        double sah[4];
        for (int rounds = 0; rounds < 4; ++rounds) {
            tree.config.treelets = rounds;
            tree.build(scratch, *make_tree_builder("lbvh", device), input);
            TreeStats stats = measure_tree(stream, tree);
            EXPECT_EQ(stats.n_primitives, boxes.size());
            sah[rounds] = stats.sah;
        }
        EXPECT_LT(sah[1], 0.9 * sah[0]) << "leaves of " << max_leaf_size;
        EXPECT_LT(sah[2], sah[1]);
        EXPECT_LT(sah[3], sah[2]);
        testing::Test::RecordProperty("sah_" + std::to_string(max_leaf_size),
                                      std::to_string(sah[0]) + " " + std::to_string(sah[1]) + " " +
                                          std::to_string(sah[2]) + " " + std::to_string(sah[3]));
    }
}
