// Boxes for drawing a tree, on both devices: those of a level, those of the leaves, and the
// occluded parts of their edges.
#include "accel/bvh/inspect/tree_boxes.h"

#include <algorithm>
#include <random>

#include "accel/tree_builder.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Unit boxes at x = 0, 2, 4, ... in the plane y = z = 0.
std::vector<Box> row_of_boxes(int n) {
    std::vector<Box> boxes(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        boxes[static_cast<std::size_t>(i)].lo = vec3(2.0f * static_cast<float>(i), 0, 0);
        boxes[static_cast<std::size_t>(i)].hi = vec3(2.0f * static_cast<float>(i) + 1, 1, 1);
    }
    return boxes;
}

/// A distant triangle that no ray hits.
Primitive nothing_to_hit() {
    Primitive p{};
    p.vertex = vec3(1e9f);
    p.edge1 = vec3(1, 0, 0);
    p.edge2 = vec3(0, 1, 0);
    return p;
}

/// A tree over boxes, each representing a primitive.
struct BoxTree {
    BoxTree(Device& device, const std::vector<Box>& boxes, std::vector<Primitive> primitives = {})
        : stream(device.create_stream()), scratch(*stream) {
        DeviceArray<Box> on_device(*stream, std::span<const Box>(boxes));
        BuildInput input;
        input.boxes = on_device.view();
        tree.config.max_leaf_size = 1;
        tree.config.layout = TreeLayout::bvh2;
        tree.build(scratch, *make_tree_builder("lbvh", device), input);
        primitives.resize(boxes.size(), nothing_to_hit());
        std::vector<std::uint32_t> order(boxes.size());
        device.download(*stream, order.data(), tree.order().data,
                        order.size() * sizeof(std::uint32_t));
        std::vector<Primitive> gathered;
        for (auto i : order) gathered.push_back(primitives[i < primitives.size() ? i : 0]);
        leaves.assign(*stream, gathered);
    }
    TreeBoxes boxes(int level, vec3 eye = vec3(0, 0, 100)) {
        return collect_tree_boxes(scratch, tree.view(leaves.data()), tree.nodes().size(), level,
                                  eye);
    }

    std::unique_ptr<Stream> stream;
    Scratch scratch;
    Tree tree;
    DeviceArray<Primitive> leaves;
};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(TreeBoxes, LevelsOfARowHalveIt) {
    BoxTree tree(device, row_of_boxes(8));
    for (int level = 0; level <= 3; ++level) {
        auto found = tree.boxes(level);
        std::size_t n = 1u << level;
        ASSERT_EQ(found.boxes.size(), n);
        EXPECT_EQ(found.n_total, n);
        std::sort(found.boxes.begin(), found.boxes.end(),
                  [](auto& a, auto& b) { return a.lo.x < b.lo.x; });
        float width = 16.0f / static_cast<float>(n);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(found.boxes[i].lo, vec3(static_cast<float>(i) * width, 0, 0));
            EXPECT_EQ(found.boxes[i].hi, vec3(static_cast<float>(i + 1) * width - 1, 1, 1));
            EXPECT_EQ(found.boxes[i].n_primitives, level == 3 ? 1u : 0u);
        }
    }
    EXPECT_EQ(tree.boxes(4).n_total, 0u);
    EXPECT_EQ(tree.boxes(kMaxTreeBoxLevel).n_total, 0u);
}

TL_DEVICE_TEST(TreeBoxes, AllLeavesAreAllBoxes) {
    auto expected = row_of_boxes(300);
    auto found = BoxTree(device, expected).boxes(kAllLeaves);
    ASSERT_EQ(found.boxes.size(), expected.size());
    std::sort(found.boxes.begin(), found.boxes.end(),
              [](auto& a, auto& b) { return a.lo.x < b.lo.x; });
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.boxes[i].lo, expected[i].lo);
        EXPECT_EQ(found.boxes[i].hi, expected[i].hi);
        EXPECT_EQ(found.boxes[i].n_primitives, 1u);
    }
}

TL_DEVICE_TEST(TreeBoxes, WhatThereIsNoRoomForIsCounted) {
    auto found = BoxTree(device, row_of_boxes(6000)).boxes(kAllLeaves);
    EXPECT_EQ(found.n_total, 6000u);
    EXPECT_EQ(found.boxes.size(), kMaxTreeBoxes);
    EXPECT_EQ(found.hidden.size(), 12 * kMaxTreeBoxes);
}

TL_DEVICE_TEST(TreeBoxes, TreesOfNoneAndOneHaveNoneAndOne) {
    Box nothing;
    EXPECT_EQ(BoxTree(device, {nothing}).boxes(0).n_total, 0u);
    EXPECT_EQ(BoxTree(device, {nothing}).boxes(1).n_total, 0u);
    EXPECT_EQ(BoxTree(device, {nothing}).boxes(kAllLeaves).n_total, 0u);
    BoxTree one(device, row_of_boxes(1));
    EXPECT_EQ(one.boxes(0).n_total, 1u);
    EXPECT_EQ(one.boxes(1).n_total, 1u);
    EXPECT_EQ(one.boxes(kAllLeaves).n_total, 1u);
}

TL_DEVICE_TEST(TreeBoxes, EdgesBehindATriangleAreHidden) {
    // A box from -1 to 1 and, far in front of it, a triangle that covers x < 0.
    Primitive half_plane{};
    half_plane.vertex = vec3(0, -400, 50);
    half_plane.edge1 = vec3(0, 800, 0);
    half_plane.edge2 = vec3(-800, 400, 0);
    std::vector<Box> boxes(2);
    boxes[0].lo = vec3(-1);
    boxes[0].hi = vec3(1);
    boxes[1].lo = vec3(-800, -400, 50);
    boxes[1].hi = vec3(0, 400, 50);
    BoxTree tree(device, boxes, {nothing_to_hit(), half_plane});
    auto found = tree.boxes(1, vec3(0, 0, 1000));
    ASSERT_EQ(found.boxes.size(), 2u);
    std::uint32_t box = found.boxes[0].hi.z == 1 ? 0 : 1;
    std::uint32_t n_segments = edge_segments(2);
    for (std::uint32_t edge = 0; edge < 12; ++edge) {
        vec3 from, to;
        box_edge(found.boxes[box], edge, from, to);
        for (std::uint32_t s = 0; s < n_segments; ++s) {
            float along = (static_cast<float>(s) + 0.5f) / static_cast<float>(n_segments);
            float x = from.x + along * (to.x - from.x);
            EXPECT_EQ(found.hidden[12 * box + edge] >> s & 1, x < 0 ? 1u : 0u) << edge << " " << s;
        }
    }
}
