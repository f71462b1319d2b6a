// Helpers for tests of builders: random boxes, a built tree on the host, and a check that it is a
// valid tree with tight boxes over all valid input boxes.
#pragma once

#include <algorithm>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/tree_builder.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
inline std::vector<Box> random_boxes(std::size_t n, float size, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10), extent(0, size);
    std::vector<Box> boxes(n);
    for (auto& box : boxes) {
        box.lo = vec3(position(engine), position(engine), position(engine));
        box.hi = box.lo + vec3(extent(engine), extent(engine), extent(engine));
    }
    return boxes;
}

struct Built {
    Tree tree;
    TreeStats stats;
    std::vector<BvhNode> nodes;
    std::vector<std::uint32_t> order;
    std::uint32_t root = 0;
};

inline Built build(Device& device, Stream& stream, Scratch& scratch, const std::vector<Box>& boxes,
                   const std::string& builder, int max_leaf_size = 1) {
    Built built;
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    BuildInput input;
    input.boxes = on_device.view();
    built.tree.config.layout = TreeLayout::bvh2;
    built.tree.config.max_leaf_size = max_leaf_size;
    built.tree.build(scratch, *make_tree_builder(builder, device), input);
    built.stats = measure_tree(stream, built.tree);
    built.nodes = built.tree.nodes().download(stream);
    built.order.resize(built.stats.n_primitives);
    stream.device().download(stream, built.order.data(), built.tree.order().data,
                             built.order.size() * sizeof(std::uint32_t));
    TreeHeader header;
    stream.device().download(stream, &header, built.tree.header().data, sizeof header);
    built.root = header.root;
    return built;
}

/// The union of the boxes below a child; checks that the child's stored box is equal to it.
inline Box check_child(const Built& built, const std::vector<Box>& boxes, std::uint32_t node,
                       int side) {
    const BvhNode& n = built.nodes[node];
    NodeRef ref = side ? n.child1 : n.child0;
    Box below;
    if (ref.is_leaf())
        for (std::uint32_t k = 0; k < ref.count(); ++k)
            below.extend(boxes[built.order[ref.first() + k]]);
    else
        for (int s : {0, 1}) below.extend(check_child(built, boxes, ref.node(), s));
    EXPECT_EQ(n.box(side).lo, below.lo) << "node " << node << " side " << side;
    EXPECT_EQ(n.box(side).hi, below.hi) << "node " << node << " side " << side;
    return below;
}

/// Checks a tree built with one primitive per leaf.
inline void check_tree(Device& device, Stream& stream, Scratch& scratch,
                       const std::vector<Box>& boxes, const std::string& builder) {
    Built built =
        build(device, stream, scratch, boxes, builder);  // measure_tree throws if it is invalid
    EXPECT_EQ(built.stats.n_primitives, boxes.size());
    EXPECT_EQ(built.stats.n_leaves, boxes.size());
    EXPECT_EQ(built.stats.n_nodes, boxes.size() > 1 ? boxes.size() - 1 : boxes.size());
    auto sorted = built.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
    if (boxes.size() < 2) return;
    for (int side : {0, 1}) check_child(built, boxes, built.root, side);
}

}  // namespace tl::TL_DEVICE_NAME
