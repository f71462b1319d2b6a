// H-PLOC: every primitive is reached once, boxes are tight, leaves reduce the cost, and the cost is
// clearly lower than that of the linear BVH.
#include "tests/unit/bvh/tree_checks.h"

TL_DEVICE_TEST(Hploc, EveryPrimitiveIsReachedAndEveryBoxIsTight) {
    for (std::size_t n : {0, 1, 2, 3, 5, 16, 17, 31, 32, 33, 34, 100, 1000, 100001})
        check_tree(device, stream, scratch, random_boxes(n, 1.0f), "hploc");
}

TL_DEVICE_TEST(Hploc, EqualAndFlatBoxesStayTrees) {
    std::vector<Box> boxes(5000);
    for (auto& box : boxes) box.lo = vec3(-1), box.hi = vec3(1);
    check_tree(device, stream, scratch, boxes, "hploc");
    auto flat = random_boxes(3000, 0.0f);
    for (auto& box : flat) box.lo.y = box.hi.y = 2;
    check_tree(device, stream, scratch, flat, "hploc");
    // Nested boxes of sizes from 1e-30 to 1e30, some with areas that overflow.
    std::vector<Box> nested(61);
    for (int k = 0; k < 61; ++k) nested[k].hi = -(nested[k].lo = vec3(-powf(10.0f, float(k - 30))));
    check_tree(device, stream, scratch, nested, "hploc");
    for (auto& box : nested) box.lo *= 1e8f, box.hi *= 1e8f;
    check_tree(device, stream, scratch, nested, "hploc");
}

TL_DEVICE_TEST(Hploc, CostsLessThanTheLinearTree) {
    // Small boxes on a plane crossed by long ones, which Morton cells separate badly.
    auto boxes = random_boxes(20000, 0.1f);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        boxes[i].hi.y -= boxes[i].lo.y;
        boxes[i].lo.y = 0;
        if (i % 20 == 0) boxes[i].hi[i % 40 ? 0 : 2] += 3;
    }
    double hploc = build(device, stream, scratch, boxes, "hploc").stats.sah;
    double lbvh = build(device, stream, scratch, boxes, "lbvh").stats.sah;
    EXPECT_LT(hploc, 0.9 * lbvh);
    EXPECT_GT(hploc, 0.3 * lbvh);
}

TL_DEVICE_TEST(Hploc, LeavesOfSeveralPrimitivesLowerTheCost) {
    auto boxes = random_boxes(5000, 4.0f);
    Built single = build(device, stream, scratch, boxes, "hploc", 1);
    Built several = build(device, stream, scratch, boxes, "hploc", 4);
    EXPECT_EQ(several.stats.n_primitives, boxes.size());
    EXPECT_LT(several.stats.n_leaves, boxes.size());
    EXPECT_EQ(several.stats.n_nodes + 1, several.stats.n_leaves);
    EXPECT_LT(several.stats.sah, single.stats.sah);
    for (std::size_t i = 0; i < several.stats.n_nodes; ++i)
        for (int side : {0, 1}) {
            NodeRef child = several.nodes[i].child(side);
            if (child.is_leaf()) {
                ASSERT_LE(child.count(), 4u);
            }
        }
}

TL_DEVICE_TEST(Hploc, BuildsAreTheSameEveryTime) {
    auto boxes = random_boxes(30000, 1.0f);
    Built a = build(device, stream, scratch, boxes, "hploc", 4);
    Built b = build(device, stream, scratch, boxes, "hploc", 4);
    ASSERT_EQ(a.order, b.order);
    ASSERT_EQ(a.stats.n_nodes, b.stats.n_nodes);
    EXPECT_EQ(memcmp(a.nodes.data(), b.nodes.data(), a.stats.n_nodes * sizeof(BvhNode)), 0);
}

TL_DEVICE_TEST(Hploc, InvalidBoxesAreDroppedAndCounted) {
    auto boxes = random_boxes(1000, 1.0f);
    for (std::size_t i = 0; i < boxes.size(); i += 3) boxes[i].hi.x = boxes[i].lo.x - 1;
    Built built = build(device, stream, scratch, boxes, "hploc");
    EXPECT_EQ(built.stats.n_dropped, 334u);
    EXPECT_EQ(built.stats.n_primitives, 666u);
    for (std::size_t i = 1; i < boxes.size(); ++i) boxes[i] = Box{};
    boxes[0].lo = boxes[0].hi = vec3(3);
    built = build(device, stream, scratch, boxes, "hploc");
    EXPECT_EQ(built.stats.n_primitives, 1u);
}
