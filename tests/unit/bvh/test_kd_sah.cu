// The kd-tree builder on both devices: every primitive is reached, split ones more than once; boxes
// of split triangles bound their clipped parts; rays give brute force's hits with fewer tests; the
// tree is valid even if the memory for splits is exhausted.
#include "tests/unit/bvh/traced_triangles.h"

namespace tl::TL_DEVICE_NAME {
namespace {

BuiltTree check(Device& device, Stream& stream, Scratch& scratch, const Triangles& triangles,
                const std::vector<Box>& boxes) {
    auto builder = make_tree_builder("kd-sah", device);
    BuiltTree built;
    for (int leaf_size : {1, 4, 8}) {
        TreeConfig config;
        config.max_leaf_size = leaf_size;
        built = build_tree(stream, scratch, *builder, triangles, boxes, config);
        auto n_valid = static_cast<std::size_t>(
            std::count_if(boxes.begin(), boxes.end(), [](auto& box) { return box.is_valid(); }));
        EXPECT_GE(built.order.size(), n_valid);
        EXPECT_LE(built.order.size(), builder->max_references(boxes.size()));
        EXPECT_EQ(built.stats.n_primitives, built.order.size());
        EXPECT_EQ(built.stats.n_dropped, boxes.size() - n_valid);
        EXPECT_EQ(built.stats.errors, 0u);
        EXPECT_TRUE(built.reaches_all(boxes)) << boxes.size();
        EXPECT_LT(built.stats.depth, 100);
    }
    return built;
}
BuiltTree check(Device& device, Stream& stream, Scratch& scratch, const Triangles& triangles) {
    return check(device, stream, scratch, triangles, triangles.boxes());
}

/// Boxes of all leaves.
std::vector<Box> leaf_boxes(Stream& stream, const BuiltTree& built) {
    auto nodes = built.tree.nodes().download(stream);
    std::vector<Box> boxes;
    for (std::uint32_t i = 0; i < built.header.n_nodes; ++i)
        for (int side : {0, 1})
            if (nodes[i].child(side).is_leaf() && !nodes[i].child(side).is_missing())
                boxes.push_back(nodes[i].box(side));
    return boxes;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(KdSah, EveryPrimitiveIsReached) {
    for (std::size_t n : {0, 1, 2, 3, 5, 33, 63, 64, 65, 1000, 30000})
        check(device, stream, scratch, soup(n, 0.5f));
}

TL_DEVICE_TEST(KdSah, InputsThatNoPlanePartsStillEnd) {
    std::vector<Box> equal(5000, Box{vec3(-1), vec3(1)});
    check(device, stream, scratch, {}, equal);
    auto nested = equal;
    for (std::size_t i = 0; i < nested.size(); ++i) {
        nested[i].lo *= static_cast<float>(i + 1);
        nested[i].hi *= static_cast<float>(i + 1);
    }
    check(device, stream, scratch, {}, nested);
    std::vector<Box> apart(5000);
    for (std::size_t i = 0; i < apart.size(); ++i) {
        apart[i].lo = vec3(std::ldexp(1.0f, static_cast<int>(i % 250) - 125), 0, 0);
        apart[i].hi = apart[i].lo;
    }
    check(device, stream, scratch, {}, apart);
    auto collinear = soup(3000, 0.1f).boxes();
    for (auto& box : collinear) box.lo.y = box.hi.y = box.lo.z = box.hi.z = 2;
    check(device, stream, scratch, {}, collinear);
    auto huge = soup(3000, 0.1f).boxes();
    huge[7] = {vec3(-3e38f), vec3(3e38f)};
    huge[8] = {vec3(2.9e38f), vec3(3e38f)};
    check(device, stream, scratch, {}, huge);
}

TL_DEVICE_TEST(KdSah, InvalidBoxesNeitherHangNorLoseTheOthers) {
    auto triangles = soup(3000, 0.5f);
    auto boxes = triangles.boxes();
    for (std::size_t i = 0; i < boxes.size(); i += 3)
        boxes[i].lo[i % 2] = std::numeric_limits<float>::quiet_NaN();
    boxes[1].hi = vec3(kInfinity);
    check(device, stream, scratch, triangles, boxes);
    for (auto& box : boxes) box = Box{};
    check(device, stream, scratch, triangles, boxes);
    boxes[5] = triangles.boxes()[5];
    check(device, stream, scratch, triangles, boxes);
}

TL_DEVICE_TEST(KdSah, NearestHitsAreThoseOfBruteForce) {
    for (auto& triangles : {soup(3000, 2.0f), needles(2000), clustered(4000), soup(50, 8.0f)})
        expect_brute_force_hits(stream, check(device, stream, scratch, triangles), triangles, 1000);
}

TL_DEVICE_TEST(KdSah, LeavesOfACutTriangleFollowItsSlant) {
    // One long triangle along the diagonal, and small ones to make the builder split its box.
    Triangles triangles = soup(300, 0.2f);
    triangles.add(vec3(-10), vec3(10), vec3(-10, -10, -9.9f));
    BuiltTree built = check(device, stream, scratch, triangles);
    auto n_parts = std::count(built.order.begin(), built.order.end(), 300u);
    EXPECT_GT(n_parts, 4);
    // The unsplit box of the diagonal alone would have the area of the scene's box.
    Box scene;
    double area = 0;
    for (auto& box : leaf_boxes(stream, built)) {
        scene.extend(box);
        area = std::max<double>(area, box.half_area());
    }
    EXPECT_LT(area, 0.1 * scene.half_area());
}

TL_DEVICE_TEST(KdSah, NeedlesCostFewerVisitsAndTestsThanUncut) {
    auto triangles = needles(5000);
    auto rays = rays_through(triangles, 2000);
    auto measure = [&](TreeBuilder& builder) {
        return trace(stream, build_tree(stream, scratch, builder, triangles), triangles, rays);
    };
    Traced uncut = measure(*make_tree_builder("lbvh", device));
    auto builder = make_tree_builder("kd-sah", device);
    auto settings = builder->settings();
    find_setting(settings, "references", "kd-sah").set("8");
    Traced cut = measure(*builder);
    EXPECT_LT(cut.primitives, 0.7 * uncut.primitives);
    EXPECT_LT(cut.nodes, 0.5 * uncut.nodes);
}

TL_DEVICE_TEST(KdSah, WithoutRoomForCutsTheTreeStaysWholeAndSaysSo) {
    auto triangles = needles(2000);
    auto builder = make_tree_builder("kd-sah", device);
    auto settings = builder->settings();
    auto& references = find_setting(settings, "references", "kd-sah");
    find_setting(settings, "grow", "kd-sah").set("false");
    for (const char* room : {"1", "1.5"}) {
        references.set(room);
        BuiltTree built = build_tree(stream, scratch, *builder, triangles);
        EXPECT_EQ(built.stats.errors, kOutOfReferences) << room;
        EXPECT_LE(built.order.size(), builder->max_references(triangles.size()));
        EXPECT_TRUE(built.reaches_all(triangles.boxes()));
        expect_brute_force_hits(stream, built, triangles, 500);
    }
    // Enough memory for references gives no error.
    references.set("8");
    auto soup_of_small = soup(5000, 0.1f);
    EXPECT_EQ(build_tree(stream, scratch, *builder, soup_of_small).stats.errors, 0u);
}

TL_DEVICE_TEST(KdSah, CapacityThatCutsExceedGrowsUntilItSuffices) {
    auto triangles = needles(2000);
    auto ample = make_tree_builder("kd-sah", device), scarce = make_tree_builder("kd-sah", device);
    auto settings_of_ample = ample->settings(), settings = scarce->settings();
    find_setting(settings_of_ample, "references", "kd-sah").set("8");
    find_setting(settings, "references", "kd-sah").set("1");
    std::size_t n = triangles.size(), start = scarce->max_references(n);
    BuiltTree built = build_tree(stream, scratch, *scarce, triangles);
    EXPECT_EQ(built.stats.errors, 0u);
    EXPECT_GT(scarce->max_references(n), start);
    EXPECT_GT(built.order.size(), start);
    EXPECT_TRUE(built.reaches_all(triangles.boxes()));
    expect_brute_force_hits(stream, built, triangles, 500);
    // The splits are those of a capacity that sufficed from the start.
    EXPECT_EQ(built.order.size(), build_tree(stream, scratch, *ample, triangles).order.size());
    // The same number of boxes may need more later: a GPU notices that after some builds.
    auto moved = make_tree_builder("kd-sah", device);
    auto settings_of_moved = moved->settings();
    find_setting(settings_of_moved, "references", "kd-sah").set("1");
    BuiltTree first = build_tree(stream, scratch, *moved, soup(n, 0.001f));
    EXPECT_EQ(first.stats.errors, 0u);
    const int most_builds = device.kind() == DeviceKind::cpu ? 1 : 16;
    std::uint32_t errors = 1;
    for (int i = 0; i < most_builds && errors != 0; ++i)
        errors = build_tree(stream, scratch, *moved, triangles).stats.errors;
    EXPECT_EQ(errors, 0u);
    // Other numbers of boxes start with the setting's capacity.
    EXPECT_EQ(scarce->max_references(n + 1), start + 1);
}

TL_DEVICE_TEST(KdSah, BuildsOfTheSameTrianglesSplitAlike) {
    for (const Triangles& triangles : {needles(20000), soup(50000, 0.2f)}) {
        auto builder = make_tree_builder("kd-sah", device);
        BuiltTree first = build_tree(stream, scratch, *builder, triangles);
        for (int i = 0; i < 4; ++i) {
            BuiltTree again = build_tree(stream, scratch, *builder, triangles);
            EXPECT_EQ(again.order.size(), first.order.size());
            EXPECT_EQ(again.header.n_nodes, first.header.n_nodes);
        }
    }
}

TL_DEVICE_TEST(KdSah, RebuildsAllocateNothing) {
    auto boxes = soup(20000, 0.5f).boxes();
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    auto builder = make_tree_builder("kd-sah", device);
    Tree tree;
    BuildInput input;
    input.boxes = on_device.view();
    // The second build may still gather the scratch arena's blocks into one.
    for (int i = 0; i < 2; ++i) tree.build(scratch, *builder, input);
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 3; ++i) tree.build(scratch, *builder, input);
    EXPECT_EQ(device.memory_stats().allocation_count, before);
}
