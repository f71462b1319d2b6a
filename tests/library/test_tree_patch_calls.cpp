// Refits, masks and files of trees over Bezier patches, and the calls that they refuse.
#include <gtest/gtest.h>

#include "tests/library/patch_fixture.h"
#include "tests/unit/temp_folder.h"

namespace tl::tree_patch_calls_tests {

using namespace test;

class TreePatchCalls : public TreeTest {};

TEST_P(TreePatchCalls, RefitsMoveThem) {
    const auto before = random_patches(30, {0, 1}, 321, true);
    auto after = random_patches(30, {0, 1}, 322, true);
    after.weights = before.weights;
    auto tree = create();
    build(tree, before.geometry());
    auto moved = after.geometry();
    moved.weights = {};  // not read
    ASSERT_EQ(tl_tree_refit(tree.get(), &moved, nullptr), TL_OK) << tl_last_error();
    EXPECT_GT(expect_hits_of_oracle(tree, after, {0, 1}, 100, 323), 50u);
    // A patch that is NaN has no hits until it has moved again.
    auto broken = after;
    broken.set(4, 3, kNan, kNan, kNan);
    const auto with_nan = broken.geometry();
    ASSERT_EQ(tl_tree_refit(tree.get(), &with_nan, nullptr), TL_OK);
    const Rays rays({0, 1}, 300, 324);
    const auto hits = closest(tree, rays);
    EXPECT_EQ(std::ranges::count(hits.primitives, 4u), 0);
    ASSERT_EQ(tl_tree_refit(tree.get(), &moved, nullptr), TL_OK);
    auto rebuilt = create();
    build(rebuilt, after.geometry());
    EXPECT_EQ(closest(tree, rays).primitives, closest(rebuilt, rays).primitives);

    moved.count = 29;
    EXPECT_EQ(tl_tree_refit(tree.get(), &moved, nullptr), TL_INVALID);
    TL_EXPECT_CONTAINS(std::string(tl_last_error()), "30 primitives");
}

TEST_P(TreePatchCalls, MasksLimitsAndStridesCount) {
    const auto patches = random_patches(40, {0, 1}, 331, false);
    auto tree = create();
    // Control points as structures of arrays: x of all, then y, then z.
    const std::size_t n = patches.points.size() / 3;
    std::vector<float> planes(3 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            planes[axis * n + i] = patches.points[3 * i + axis];
    auto g = patches.geometry();
    g.positions = {planes.data(), sizeof(float), n * sizeof(float)};
    build(tree, g);
    Rays rays({0, 1}, 400, 332);
    const auto all = closest(tree, rays);
    const HitLists lists(tree, rays);
    auto plain = create();
    build(plain, patches.geometry());
    EXPECT_EQ(closest(plain, rays).t, all.t);

    std::vector<std::uint32_t> masks(40), of_rays(400, 2u);
    for (std::size_t i = 0; i < 40; ++i) masks[i] = i % 2 == 0 ? 1 : 2;
    ASSERT_EQ(tl_tree_set_masks(tree.get(), masks.data(), nullptr), TL_OK) << tl_last_error();
    rays.in.masks = of_rays.data();
    const auto odd = closest(tree, rays);
    std::vector<std::uint8_t> occluded(400);
    ASSERT_EQ(tl_tree_occluded(tree.get(), &rays.in, occluded.data(), nullptr), TL_OK);
    for (std::size_t i = 0; i < 400; ++i) {
        std::uint32_t expected = TL_NONE;
        for (std::size_t k = lists.counts[i]; k-- > 0;)
            if (lists.hits.primitives[kListed * i + k] % 2 == 1)
                expected = lists.hits.primitives[kListed * i + k];
        EXPECT_EQ(odd.primitives[i], expected);
        EXPECT_EQ(occluded[i], expected != TL_NONE);
    }
    // Beyond the first hit is the second.
    rays.in.masks = nullptr;
    std::vector<float> after(400);
    for (std::size_t i = 0; i < 400; ++i)
        after[i] = std::isfinite(all.t[i]) ? all.t[i] * 1.0001f : 0;
    rays.in.t_min = packed(after);
    const auto next = closest(tree, rays);
    for (std::size_t i = 0; i < 400; ++i)
        if (lists.counts[i] > 1 && lists.hits.t[kListed * i + 1] > after[i]) {
            EXPECT_EQ(next.t[i], lists.hits.t[kListed * i + 1]);
        }
}

TEST_P(TreePatchCalls, BuildersAndLayoutsGiveTheSameHits) {
    const auto patches = random_patches(60, {0, 1}, 345, false);
    const Rays rays({0, 1}, 1000, 346);
    auto tree = create();
    build(tree, patches.geometry());
    const auto expected = closest(tree, rays);
    for (const char* builder : {"lbvh", "hploc", "sah", "kd-sah"})
        for (const char* layout : {"bvh2", "bvh4", "skip", "auto"}) {
            SCOPED_TRACE(std::string(builder) + " " + layout);
            auto other = create({{"builder", builder}, {"layout", layout}});
            build(other, patches.geometry());
            const auto hits = closest(other, rays);
            EXPECT_EQ(hits.primitives, expected.primitives);
            for (std::size_t i = 0; i < rays.in.count; ++i)
                EXPECT_TRUE(hits.t[i] == expected.t[i] ||
                            std::abs(hits.t[i] - expected.t[i]) < 1e-6f * expected.t[i]);
        }
}

TEST_P(TreePatchCalls, FilesKeepThem) {
    TempFolder folder;
    const std::string path = folder.path("patches.tree");
    for (bool is_rational : {false, true}) {
        auto patches = random_patches(20, {0, 1}, 341, is_rational);
        patches.set(3, 3, kNan, 0, 0);
        auto tree = create();
        build(tree, patches.geometry());
        ASSERT_EQ(tl_tree_save(tree.get(), path.c_str()), TL_OK) << tl_last_error();
        tl_tree* opened = nullptr;
        ASSERT_EQ(tl_tree_open(GetParam(), path.c_str(), &opened), TL_OK) << tl_last_error();
        const TreeOwner other(opened);
        const Rays rays({0, 1}, 200, 342);
        EXPECT_EQ(closest(other, rays).t, closest(tree, rays).t);
        EXPECT_EQ(about(other).n_dropped, 1u);
        EXPECT_EQ(about(other).kind, TL_PATCHES);
    }
}

TEST_P(TreePatchCalls, AreOnlyForRays) {
    const auto patches = random_patches(3, {0, 1}, 351, false);
    auto tree = create();
    build(tree, patches.geometry());
    const float zero[3] = {};
    const tl_floats at{zero, 0, 0};
    float distance = 0;
    std::uint32_t index = 0;
    const tl_closest_points out{sizeof(tl_closest_points), &distance, nullptr, nullptr, nullptr};
    auto expect = [](tl_status status, const char* words) {
        EXPECT_EQ(status, TL_INVALID);
        TL_EXPECT_CONTAINS(std::string(tl_last_error()), words);
    };
    expect(tl_tree_closest_point(tree.get(), &at, 1, kInf, &out, nullptr),
           "the call is for trees of triangles, boxes or spheres");
    expect(tl_tree_count_in_boxes(tree.get(), &at, &at, 1, &index, nullptr),
           "trees of triangles, boxes or spheres");
    expect(tl_tree_winding_number(tree.get(), &at, 1, 0, &distance, nullptr), "trees of triangles");
    expect(tl_tree_nearest(tree.get(), &at, 1, 1, kInf, &index, nullptr, nullptr),
           "trees of points");
    const tl_rays ray{sizeof(tl_rays), 1, at, at, {}, {}, nullptr, 0};
    expect(tl_tree_count_hits(tree.get(), &ray, &index, nullptr), "tl_tree_all_hits");
    tl_tree_nodes nodes{};
    expect(tl_tree_pointers(tree.get(), &nodes), "triangles, boxes, spheres or instances");
    auto scene = create();
    tl_geometry g{};
    g.kind = TL_INSTANCES;
    g.count = 1;
    tl_tree* const of = tree.get();
    g.trees = &of;
    const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    g.transforms = identity;
    expect(tl_tree_build(scene.get(), &g, nullptr), "not a tree of triangles or spheres");
    tl_geometry no_points{};
    no_points.kind = TL_PATCHES;
    no_points.count = 1;
    expect(tl_tree_build(tree.get(), &no_points, nullptr), "the positions are null");
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreePatchCalls, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreePatchCalls, testing::Values("cuda"));

}  // namespace tl::tree_patch_calls_tests
