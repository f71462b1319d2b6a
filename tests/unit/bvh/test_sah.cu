// The SAH builders on both devices: every primitive is reached once, the quality equals that of
// full sweeps over all primitives, and inputs that cannot be split terminate.
#include <numeric>

#include "tests/unit/bvh/traced_triangles.h"

namespace tl::TL_DEVICE_NAME {
namespace {

const std::vector<std::string>& builders() {
    static const std::vector<std::string> ids{"sah", "hybrid-sah"};
    return ids;
}

void check(Device& device, Stream& stream, Scratch& scratch, const std::string& id,
           const std::vector<Box>& boxes) {
    auto builder = make_tree_builder(id, device);
    for (int leaf_size : {1, 4}) {
        TreeConfig config;
        config.max_leaf_size = leaf_size;
        BuiltTree built = build_tree(stream, scratch, *builder, {}, boxes, config);
        auto n_valid = static_cast<std::size_t>(
            std::count_if(boxes.begin(), boxes.end(), [](auto& box) { return box.is_valid(); }));
        EXPECT_EQ(built.order.size(), n_valid) << id;
        EXPECT_EQ(built.stats.n_primitives, n_valid) << id;
        EXPECT_EQ(built.stats.n_dropped, boxes.size() - n_valid) << id;
        EXPECT_EQ(built.stats.errors, 0u) << id;
        EXPECT_TRUE(built.reaches_all(boxes)) << id << " " << boxes.size();
        EXPECT_LT(built.stats.depth, 64) << id;
    }
}

/// The surface-area cost, in the terms of measure_tree, of sweeping every node from the root on;
/// leaves of one primitive. Not yet divided by the root's area.
double sweep_cost(const std::vector<Box>& boxes, std::vector<std::uint32_t> ids) {
    Box whole;
    for (auto i : ids) whole.extend(boxes[i]);
    if (ids.size() == 1) return whole.half_area();
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> best_ids;
    std::size_t best_left = 0;
    for (int axis = 0; axis < 3; ++axis) {
        std::sort(ids.begin(), ids.end(), [&](auto a, auto b) {
            float x = boxes[a].center()[axis], y = boxes[b].center()[axis];
            return x != y ? x < y : a < b;
        });
        std::vector<double> after(ids.size() + 1);
        Box box;
        for (std::size_t i = ids.size(); i-- > 0;) {
            box.extend(boxes[ids[i]]);
            after[i] = box.half_area() * double(ids.size() - i);
        }
        box = {};
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            box.extend(boxes[ids[i]]);
            double cost = box.half_area() * double(i + 1) + after[i + 1];
            if (cost >= best) continue;
            best = cost;
            best_ids = ids;
            best_left = i + 1;
        }
    }
    auto middle = best_ids.begin() + std::ptrdiff_t(best_left);
    return whole.half_area() + sweep_cost(boxes, {best_ids.begin(), middle}) +
           sweep_cost(boxes, {middle, best_ids.end()});
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Sah, EveryPrimitiveIsReachedOnce) {
    for (auto& id : builders())
        for (std::size_t n : {0, 1, 2, 3, 5, 33, 127, 128, 129, 257, 1000, 1025, 100000})
            check(device, stream, scratch, id, soup(n, 0.5f).boxes());
}

TL_DEVICE_TEST(Sah, InputsThatNoPlanePartsStillEnd) {
    for (auto& id : builders()) {
        std::vector<Box> equal(20000, Box{vec3(-1), vec3(1)});
        check(device, stream, scratch, id, equal);
        // Concentric boxes: all different, with the same centre.
        auto nested = equal;
        for (std::size_t i = 0; i < nested.size(); ++i) {
            nested[i].lo *= static_cast<float>(i + 1);
            nested[i].hi *= static_cast<float>(i + 1);
        }
        check(device, stream, scratch, id, nested);
        // Points on a line at doubling distances: every plane splits off only a few.
        std::vector<Box> apart(20000);
        for (std::size_t i = 0; i < apart.size(); ++i) {
            apart[i].lo = vec3(std::ldexp(1.0f, static_cast<int>(i % 250) - 125), 0, 0);
            apart[i].hi = apart[i].lo;
        }
        check(device, stream, scratch, id, apart);
        auto collinear = soup(3000, 0.1f).boxes();
        for (auto& box : collinear) box.lo.y = box.hi.y = box.lo.z = box.hi.z = 2;
        check(device, stream, scratch, id, collinear);
        auto huge = soup(3000, 0.1f).boxes();
        huge[7] = {vec3(-3e38f), vec3(3e38f)};
        huge[8] = {vec3(2.9e38f), vec3(3e38f)};
        check(device, stream, scratch, id, huge);
    }
}

TL_DEVICE_TEST(Sah, InvalidBoxesNeitherHangNorLoseTheOthers) {
    for (auto& id : builders()) {
        auto boxes = soup(3000, 0.5f).boxes();
        for (std::size_t i = 0; i < boxes.size(); i += 3)
            boxes[i].lo[i % 2] = std::numeric_limits<float>::quiet_NaN();
        boxes[1].hi = vec3(kInfinity);
        boxes[2].lo.y = boxes[2].hi.y + 1;
        check(device, stream, scratch, id, boxes);
        for (auto& box : boxes) box = Box{};
        check(device, stream, scratch, id, boxes);
        boxes[5] = Box{vec3(0), vec3(1)};
        check(device, stream, scratch, id, boxes);
    }
}

TL_DEVICE_TEST(Sah, NearestHitsAreThoseOfBruteForce) {
    for (auto& id : builders())
        for (auto& triangles : {soup(3000, 2.0f), needles(2000), clustered(4000)})
            expect_brute_force_hits(
                stream, build_tree(stream, scratch, *make_tree_builder(id, device), triangles),
                triangles, 1000);
}

TL_DEVICE_TEST(Sah, CostIsThatOfSweepingEveryNode) {
    for (auto& triangles : {soup(20000, 0.5f), clustered(20000)}) {
        auto boxes = triangles.boxes();
        std::vector<std::uint32_t> ids(boxes.size());
        std::iota(ids.begin(), ids.end(), 0u);
        Box whole;
        for (auto& box : boxes) whole.extend(box);
        double swept = sweep_cost(boxes, ids) / whole.half_area();
        TreeConfig config;
        config.max_leaf_size = 1;
        auto cost = [&](const char* id) {
            return build_tree(stream, scratch, *make_tree_builder(id, device), triangles, config)
                .stats.sah;
        };
        double sah = cost("sah"), lbvh = cost("lbvh"), hybrid = cost("hybrid-sah");
        EXPECT_LT(sah, 1.03 * swept);
        EXPECT_GT(sah, 0.9 * swept);
        EXPECT_LT(hybrid, lbvh);
        EXPECT_GT(hybrid, 0.9 * swept);
    }
}

TL_DEVICE_TEST(Sah, SettingsChangeTheTreeAndStayWithinTheirRange) {
    auto triangles = soup(20000, 0.5f);
    auto builder = make_tree_builder("sah", device);
    auto settings = builder->settings();
    double coarse, fine;
    find_setting(settings, "samples", "sah").set("2");
    find_setting(settings, "small-size", "sah").set("8");
    coarse = build_tree(stream, scratch, *builder, triangles).stats.sah;
    find_setting(settings, "samples", "sah").set("64");
    for (const char* size : {"31", "64", "128", "256"}) {
        find_setting(settings, "small-size", "sah").set(size);
        BuiltTree built = build_tree(stream, scratch, *builder, triangles);
        EXPECT_TRUE(built.reaches_all(triangles.boxes())) << size;
        fine = built.stats.sah;
        EXPECT_LT(fine, 0.98 * coarse) << size;
    }
    EXPECT_THROW(find_setting(settings, "small-size", "sah").set("257"), UserError);
}

TL_DEVICE_TEST(Sah, RebuildsAllocateNothing) {
    auto boxes = soup(50000, 0.5f).boxes();
    DeviceArray<Box> on_device(stream, std::span<const Box>(boxes));
    for (auto& id : builders()) {
        auto builder = make_tree_builder(id, device);
        Tree tree;
        BuildInput input;
        input.boxes = on_device.view();
        // The second build may still gather the scratch arena's blocks into one.
        for (int i = 0; i < 2; ++i) tree.build(scratch, *builder, input);
        auto before = device.memory_stats().allocation_count;
        for (int i = 0; i < 3; ++i) tree.build(scratch, *builder, input);
        EXPECT_EQ(device.memory_stats().allocation_count, before) << id;
    }
}
