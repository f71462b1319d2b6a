// The LBVH's invariants on both devices: every primitive is reached once, every box contains its
// subtree, and a node's primitives share a Morton prefix.
#include "accel/morton.h"
#include "tests/unit/bvh/tree_checks.h"

TL_DEVICE_TEST(Lbvh, EveryPrimitiveIsReachedAndEveryBoxIsTight) {
    for (std::size_t n : {0, 1, 2, 3, 5, 31, 32, 33, 1000, 100001})
        check_tree(device, stream, scratch, random_boxes(n, 1.0f), "lbvh");
}

TL_DEVICE_TEST(Lbvh, EqualCentersAreToldApartByTheirPlace) {
    std::vector<Box> boxes(5000);
    for (auto& box : boxes) box.lo = vec3(-1), box.hi = vec3(1);
    check_tree(device, stream, scratch, boxes, "lbvh");
    // Equal codes are split by position: a balanced tree with 13 levels for 5,000 primitives.
    EXPECT_EQ(build(device, stream, scratch, boxes, "lbvh").stats.depth, 13);
}

TL_DEVICE_TEST(Lbvh, FlatAndClusteredInputsStayTrees) {
    auto flat = random_boxes(3000, 0.0f);
    for (auto& box : flat) box.lo.y = box.hi.y = 2;
    check_tree(device, stream, scratch, flat, "lbvh");
    auto clustered = random_boxes(3000, 1e-4f);
    for (std::size_t i = 0; i < clustered.size(); ++i) {
        vec3 shift = i % 3 ? vec3(1e5f, 0, 0) : vec3(0);
        clustered[i].lo = clustered[i].lo * 1e-3f + shift;
        clustered[i].hi = clustered[i].lo + vec3(1e-4f);
    }
    check_tree(device, stream, scratch, clustered, "lbvh");
}

TL_DEVICE_TEST(Lbvh, OrderFollowsTheMortonCurve) {
    auto boxes = random_boxes(2000, 0.5f);
    Built built = build(device, stream, scratch, boxes, "lbvh");
    Box centers;
    for (auto& box : boxes) centers.extend(box.center());
    std::vector<std::uint64_t> codes;
    MortonGrid grid = MortonGrid::make(centers, 30);
    for (auto i : built.order) codes.push_back(grid.code<std::uint32_t>(boxes[i].center()));
    // One cell of 2^10 may differ because of the devices' rounding; the order above the lowest bits
    // may not.
    for (std::size_t i = 1; i < codes.size(); ++i) EXPECT_LE(codes[i - 1] >> 3, codes[i] >> 3) << i;
}

TL_DEVICE_TEST(Lbvh, InvalidBoxesNeitherHangNorLoseTheOthers) {
    auto boxes = random_boxes(1000, 1.0f);
    boxes[10].lo = boxes[10].hi = vec3(std::numeric_limits<float>::quiet_NaN());
    boxes[20] = Box{};
    boxes[30].hi = vec3(kInfinity);
    boxes[40].lo.y = boxes[40].hi.y + 1;
    Built built = build(device, stream, scratch, boxes, "lbvh");
    EXPECT_EQ(built.stats.n_primitives, boxes.size() - 4);
    EXPECT_EQ(built.stats.n_dropped, 4u);
    // Only invalid boxes: an empty tree.
    for (auto& box : boxes) box = Box{};
    built = build(device, stream, scratch, boxes, "lbvh");
    EXPECT_EQ(built.stats.n_primitives, 0u);
    EXPECT_EQ(built.stats.n_dropped, boxes.size());
}

TL_DEVICE_TEST(Lbvh, RebuildsAllocateNothing) {
    auto boxes = random_boxes(50000, 1.0f);
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    auto builder = make_tree_builder("lbvh", device);
    Tree tree;
    BuildInput input;
    input.boxes = on_device.view();
    // The second build may still gather the scratch arena's blocks into one.
    for (int i = 0; i < 2; ++i) tree.build(scratch, *builder, input);
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 5; ++i) tree.build(scratch, *builder, input);
    EXPECT_EQ(device.memory_stats().allocation_count, before);
}

TL_DEVICE_TEST(Morton, FlatBoundsGiveTheirBitsToTheLongAxes) {
    Box bounds;
    bounds.lo = vec3(0);
    bounds.hi = vec3(16, 0, 4);
    MortonGrid grid = MortonGrid::make(bounds, 30);
    // Two bits split x into four square cells; then x and z alternate, and y has no bit.
    EXPECT_EQ(grid.code<std::uint32_t>(vec3(8, 0, 0)), 1u << 29);
    EXPECT_EQ(grid.code<std::uint32_t>(vec3(4, 0, 0)), 1u << 28);
    EXPECT_EQ(grid.code<std::uint32_t>(vec3(0, 0, 2)), 1u << 26);
    EXPECT_EQ(grid.code<std::uint32_t>(vec3(16, 0, 4)), (1u << 30) - 1);
}

TL_DEVICE_TEST(Morton, CodesInterleaveTheBitsOfTheAxes) {
    Box bounds;
    bounds.lo = vec3(0);
    bounds.hi = vec3(1);
    MortonGrid grid = MortonGrid::make(bounds, 63);
    auto code = [&](vec3 p) { return grid.code<std::uint64_t>(p); };
    EXPECT_EQ(code(vec3(0)), 0u);
    EXPECT_EQ(code(vec3(1)), (1ull << 63) - 1);
    EXPECT_EQ(code(vec3(0.5f, 0, 0)), 1ull << 62);
    EXPECT_EQ(code(vec3(0, 0.5f, 0)), 1ull << 61);
    EXPECT_EQ(code(vec3(0, 0, 0.25f)), 1ull << 57);
    for (std::uint32_t code = 0; code < 4096; ++code) {
        glm::uvec2 p = morton_decode_2(code);
        std::uint32_t again = 0;
        for (int bit = 0; bit < 8; ++bit)
            again |= (p.x >> bit & 1) << (2 * bit) | (p.y >> bit & 1) << (2 * bit + 1);
        ASSERT_EQ(again, code);
    }
}
