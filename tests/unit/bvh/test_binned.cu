// The binned builders on both devices, and the pass they share: the top of a linear BVH.
#include <algorithm>
#include <cmath>
#include <random>

#include "accel/bvh/builders/lbvh_top.h"
#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/passes/mark_leaves.h"
#include "accel/tree_builder.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::vector<Box> scattered_boxes(std::size_t n, float size, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10), extent(0, size);
    std::vector<Box> boxes(n);
    for (auto& box : boxes) {
        box.lo = vec3(position(engine), position(engine), position(engine));
        box.hi = box.lo + vec3(extent(engine), extent(engine), extent(engine));
    }
    return boxes;
}

/// Builds the top with the linear BVH's subtrees below it; stores the top's results.
class TopBuilder final : public TreeBuilder {
  public:
    explicit TopBuilder(int prefix_bits) : prefix_bits_(prefix_bits) {}
    void build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) override {
        auto& stream = scratch.stream();
        LbvhTop top = build_lbvh_top(scratch, input, tree, CodeBits::bits30, prefix_bits_);
        std::uint32_t n_tasks = 0;
        stream.device().download(stream, &n_tasks, top.clusters.n_tasks.data, sizeof n_tasks);
        ASSERT_LE(n_tasks, top.clusters.tasks.size);
        tasks.resize(n_tasks);
        roots.resize(n_tasks);
        if (n_tasks > 0) {
            stream.device().download(stream, tasks.data(), top.clusters.tasks.data,
                                     n_tasks * sizeof(SubtreeTask));
            stream.device().download(stream, roots.data(), top.roots.data,
                                     n_tasks * sizeof(NodeRef));
        }
        nodes.resize(tree.nodes.size);
        stream.device().download(stream, nodes.data(), tree.nodes.data,
                                 nodes.size() * sizeof(BinaryNode));
        mark_leaves(scratch, input, tree);
    }
    std::vector<SubtreeTask> tasks;
    std::vector<NodeRef> roots;
    std::vector<BinaryNode> nodes;

  private:
    int prefix_bits_;
};

TreeStats build(Stream& stream, Scratch& scratch, TreeBuilder& builder,
                const std::vector<Box>& boxes, int max_leaf_size = 1) {
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    Tree tree;
    BuildInput input;
    input.boxes = on_device.view();
    tree.config.max_leaf_size = max_leaf_size;
    tree.build(scratch, builder, input);
    return measure_tree(stream, tree);  // throws if it is not a tree
}

/// Around 40 centres of different spread.
std::vector<Box> clustered_boxes(std::size_t n) {
    auto boxes = scattered_boxes(n, 0.05f, 3);
    auto centers = scattered_boxes(40, 0.0f, 4);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t c = i * 7919 % 40;
        vec3 lo = centers[c].lo + boxes[i].lo * (0.002f * static_cast<float>(c + 1));
        boxes[i].hi += lo - boxes[i].lo;
        boxes[i].lo = lo;
    }
    return boxes;
}

/// The cost, as from measure_tree, of the tree whose splits are the best of all planes through
/// centres, with one primitive per leaf.
double full_sweep_sah(const std::vector<Box>& boxes) {
    std::vector<std::uint32_t> all(boxes.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    double cost = 0, root_area = 0;
    std::vector<std::vector<std::uint32_t>> pending{all};
    while (!pending.empty()) {
        auto node = std::move(pending.back());
        pending.pop_back();
        Box box;
        for (auto i : node) box.extend(boxes[i]);
        cost += box.half_area();
        if (root_area == 0) root_area = box.half_area();
        if (node.size() == 1) continue;
        float least = kInfinity;
        std::vector<std::uint32_t> best;
        std::size_t best_left = 0;
        for (int axis = 0; axis < 3; ++axis) {
            std::sort(node.begin(), node.end(), [&](auto a, auto b) {
                float x = boxes[a].center()[axis], y = boxes[b].center()[axis];
                return x != y ? x < y : a < b;
            });
            std::vector<float> right(node.size());
            Box sum;
            for (std::size_t k = node.size() - 1; k > 0; --k) {
                sum.extend(boxes[node[k]]);
                right[k] = static_cast<float>(node.size() - k) * sum.half_area();
            }
            sum = Box{};
            std::size_t axis_left = 0;
            for (std::size_t k = 1; k < node.size(); ++k) {
                sum.extend(boxes[node[k - 1]]);
                float split = static_cast<float>(k) * sum.half_area() + right[k];
                if (split < least) least = split, axis_left = k;
            }
            if (axis_left) best = node, best_left = axis_left;
        }
        auto middle = best.begin() + static_cast<std::ptrdiff_t>(best_left);
        pending.emplace_back(best.begin(), middle);
        pending.emplace_back(middle, best.end());
    }
    return cost / root_area;
}

struct Choice {
    const char* builder;
    std::vector<std::pair<const char*, const char*>> settings;
};
/// Every builder of this file, with every way of projecting.
const std::vector<Choice>& choices() {
    static const std::vector<Choice> list{
        {"binned", {{"projection", "shared-bins"}}},
        {"binned", {{"projection", "k-scans"}}},
        {"binned", {{"projection", "log2-splits"}}},
        {"binned", {{"projection", "radix-sort"}}},
        {"hybrid-binned", {}},
        {"hlbvh", {}},
        {"hlbvh", {{"code-bits", "63"}, {"cluster-bits", "6"}}},
    };
    return list;
}
std::string name_of(const Choice& choice) {
    std::string name = choice.builder;
    for (auto& [id, value] : choice.settings) name += std::string(" ") + value;
    return name;
}
std::unique_ptr<TreeBuilder> make(const Choice& choice, Device& device) {
    auto builder = make_tree_builder(choice.builder, device);
    auto settings = builder->settings();
    for (auto& [id, value] : choice.settings) find_setting(settings, id, choice.builder).set(value);
    return builder;
}

/// The union of the boxes below a child; checks that the child's stored box is just that.
Box check_child(const std::vector<BvhNode>& nodes, const std::vector<std::uint32_t>& order,
                const std::vector<Box>& boxes, std::uint32_t node, int side) {
    NodeRef ref = nodes[node].child(side);
    Box below;
    if (ref.is_missing()) return below;
    if (ref.is_leaf())
        for (std::uint32_t k = 0; k < ref.count(); ++k) below.extend(boxes[order[ref.first() + k]]);
    else
        for (int s : {0, 1}) below.extend(check_child(nodes, order, boxes, ref.node(), s));
    EXPECT_EQ(nodes[node].box(side).lo, below.lo) << "node " << node << " side " << side;
    EXPECT_EQ(nodes[node].box(side).hi, below.hi) << "node " << node << " side " << side;
    return below;
}

/// Every valid box is reached once and every stored box is tight.
TreeStats check_tree(Stream& stream, Scratch& scratch, TreeBuilder& builder,
                     const std::vector<Box>& boxes) {
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    Tree tree;
    BuildInput input;
    input.boxes = on_device.view();
    tree.build(scratch, builder, input);
    auto stats = measure_tree(stream, tree);  // throws if it is not a tree
    std::vector<std::uint32_t> order(stats.n_primitives), valid;
    stream.device().download(stream, order.data(), tree.order().data,
                             order.size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].is_valid()) valid.push_back(i);
    EXPECT_EQ(stats.n_dropped, boxes.size() - valid.size());
    EXPECT_EQ(stats.errors, 0u);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_TRUE(sorted == valid) << "the leaves hold other primitives than the valid ones";
    if (valid.empty() || !(sorted == valid)) return stats;
    TreeHeader header;
    stream.device().download(stream, &header, tree.header().data, sizeof header);
    auto nodes = tree.nodes().download(stream);
    for (int side : {0, 1}) check_child(nodes, order, boxes, header.root, side);
    return stats;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Binned, EveryValidBoxIsReachedOnceAndEveryBoxIsTight) {
    for (auto& choice : choices()) {
        auto builder = make(choice, device);
        for (std::size_t n : {0, 1, 2, 3, 5, 33, 257, 1000}) {
            SCOPED_TRACE(name_of(choice) + " over " + std::to_string(n));
            check_tree(stream, scratch, *builder, scattered_boxes(n, 1.0f));
        }
    }
}

TL_DEVICE_TEST(Binned, ManyBoxesMakeATree) {
    for (auto& choice : choices()) {
        SCOPED_TRACE(name_of(choice));
        auto builder = make(choice, device);
        bool is_shared = &choice == &choices()[0];
        check_tree(stream, scratch, *builder, scattered_boxes(is_shared ? 100000 : 30000, 0.1f));
    }
}

TL_DEVICE_TEST(Binned, BoxesThatNoPlanePartsAreHalved) {
    std::vector<Box> equal(3000);
    for (auto& box : equal) box.lo = vec3(-1), box.hi = vec3(1);
    for (auto& choice : choices()) {
        SCOPED_TRACE(name_of(choice));
        auto builder = make(choice, device);
        auto stats = check_tree(stream, scratch, *builder, equal);
        EXPECT_LE(stats.depth, 12);
    }
}

TL_DEVICE_TEST(Binned, DegenerateBoxesMakeATree) {
    std::vector<Box> collinear(3000), shrinking(3000), broken = scattered_boxes(3000, 1.0f);
    for (std::size_t i = 0; i < collinear.size(); ++i) {
        auto x = static_cast<float>(i);
        collinear[i].lo = collinear[i].hi = vec3(x, 0, 0);
        shrinking[i].lo = vec3(std::pow(1.05f, 0.5f * x - 700.0f), 0, 0);
        shrinking[i].hi = shrinking[i].lo * vec3(1.01f, 1, 1) + vec3(0, 1e-20f, 1e-20f);
        if (i % 3 == 0) broken[i].lo.x = std::numeric_limits<float>::quiet_NaN();
        if (i % 7 == 0) broken[i] = Box{};
    }
    for (auto& choice : choices()) {
        SCOPED_TRACE(name_of(choice));
        auto builder = make(choice, device);
        auto stats = check_tree(stream, scratch, *builder, collinear);
        // All planes between points on a line have cost zero: even splits are preferred.
        if (std::string(choice.builder) == "binned") {
            EXPECT_LE(stats.depth, 14);
        }
        check_tree(stream, scratch, *builder, shrinking);
        check_tree(stream, scratch, *builder, broken);
        check_tree(stream, scratch, *builder, std::vector<Box>(1000));
    }
}

TL_DEVICE_TEST(Binned, CostsAreThoseOfAFullSweep) {
    for (auto& boxes : {scattered_boxes(20000, 0.3f), clustered_boxes(20000)}) {
        double sweep = full_sweep_sah(boxes);
        double linear = build(stream, scratch, *make_tree_builder("lbvh", device), boxes).sah;
        double shared = 0;
        for (auto& choice : choices()) {
            SCOPED_TRACE(name_of(choice));
            auto builder = make(choice, device);
            double sah = build(stream, scratch, *builder, boxes).sah;
            if (std::string(choice.builder) != "binned") {
                EXPECT_LT(sah, linear);
                continue;
            }
            if (shared == 0) shared = sah;
            EXPECT_LT(sah, 1.1 * sweep);
            EXPECT_NEAR(sah, shared, 0.05 * shared);
        }
    }
}

TL_DEVICE_TEST(Binned, RebuildsAllocateNothing) {
    auto boxes = scattered_boxes(5000, 1.0f);
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    BuildInput input;
    input.boxes = on_device.view();
    for (auto& choice : choices()) {
        SCOPED_TRACE(name_of(choice));
        auto builder = make(choice, device);
        Tree tree;
        // The second build may still gather the scratch arena's blocks into one.
        for (int i = 0; i < 2; ++i) tree.build(scratch, *builder, input);
        auto before = device.memory_stats().allocation_count;
        for (int i = 0; i < 3; ++i) tree.build(scratch, *builder, input);
        EXPECT_EQ(device.memory_stats().allocation_count, before);
    }
}

TL_DEVICE_TEST(LbvhTop, ClustersTileTheOrderAndHangInTheTree) {
    for (std::size_t n : {1, 2, 3, 5, 33, 1000, 20000})
        for (int prefix_bits : {0, 3, 12}) {
            auto boxes = scattered_boxes(n, 1.0f);
            TopBuilder top(prefix_bits);
            auto stats = build(stream, scratch, top, boxes);
            EXPECT_EQ(stats.n_primitives, n);
            EXPECT_EQ(stats.n_leaves, n);
            if (prefix_bits == 0) {
                EXPECT_EQ(top.tasks.size(), 1u);
            }
            if (n == 20000) {
                EXPECT_GE(top.tasks.size(), std::size_t(1) << prefix_bits >> 1);
            }
            std::uint32_t place = 0;
            for (std::size_t c = 0; c < top.tasks.size(); ++c) {
                auto& task = top.tasks[c];
                EXPECT_EQ(task.first, place);
                ASSERT_GT(task.count, 0u);
                place += task.count;
                if (top.tasks.size() == 1) {
                    EXPECT_EQ(task.parent, SubtreeTask::kNoParent);
                    continue;
                }
                // The parent splits the positions beside the cluster, and refers to its root.
                std::uint32_t parent = task.parent >> 1, side = task.parent & 1;
                EXPECT_EQ(parent, side ? task.first - 1 : place - 1);
                NodeRef named = side ? top.nodes[parent].right : top.nodes[parent].left;
                EXPECT_EQ(named.bits, top.roots[c].bits);
                EXPECT_EQ(named.is_leaf(), task.count == 1);
            }
            EXPECT_EQ(place, n);
        }
}

TL_DEVICE_TEST(LbvhTop, TheWholeTreeIsTheLinearBvh) {
    auto boxes = scattered_boxes(5000, 0.5f);
    boxes[7] = Box{};
    TopBuilder top(9);
    auto lbvh = make_tree_builder("lbvh", device);
    auto settings = lbvh->settings();
    find_setting(settings, "code-bits", "lbvh").set("30");
    auto a = build(stream, scratch, top, boxes), b = build(stream, scratch, *lbvh, boxes);
    EXPECT_EQ(a.n_dropped, 1u);
    EXPECT_EQ(a.n_nodes, b.n_nodes);
    EXPECT_EQ(a.depth, b.depth);
    EXPECT_NEAR(a.sah, b.sah, 1e-4 * b.sah);
}
