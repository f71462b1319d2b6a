// The binned builders on both devices, and what they share: the top of a linear BVH.
#include <algorithm>
#include <random>

#include "accel/bvh/lbvh_top.h"
#include "accel/bvh/mark_leaves.h"
#include "accel/bvh/tree_stats.h"
#include "accel/tree_builder.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::vector<Box> random_boxes(std::size_t n, float size, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10), extent(0, size);
    std::vector<Box> boxes(n);
    for (auto& box : boxes) {
        box.lo = vec3(position(engine), position(engine), position(engine));
        box.hi = box.lo + vec3(extent(engine), extent(engine), extent(engine));
    }
    return boxes;
}

/// The top and, below it, the linear BVH's own subtrees; keeps what the top found.
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

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(LbvhTop, ClustersTileTheOrderAndHangInTheTree) {
    for (std::size_t n : {1, 2, 3, 5, 33, 1000, 20000})
        for (int prefix_bits : {0, 3, 12}) {
            auto boxes = random_boxes(n, 1.0f);
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
                // The parent parts the places beside the cluster, and names its root.
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
    auto boxes = random_boxes(5000, 0.5f);
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
