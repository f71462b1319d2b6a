// Rays through trees of the C interface over Bezier patches, beside subdivision in long double.
#include <gtest/gtest.h>

#include "tests/library/patch_fixture.h"

namespace tl::tree_patches_tests {

using namespace test;

class TreePatches : public TreeTest {};

TEST_P(TreePatches, HitsAreThoseOfSubdivision) {
    for (Place place : kPlaces)
        for (bool is_rational : {false, true}) {
            SCOPED_TRACE(testing::Message() << place.middle << (is_rational ? " rational" : ""));
            const auto patches = random_patches(30, place, 301, is_rational);
            auto tree = create();
            build(tree, patches.geometry());
            EXPECT_GT(expect_hits_of_oracle(tree, patches, place, 200, 302), 100u);
        }
}

TEST_P(TreePatches, HitsOfTheTeapotAreThoseOfSubdivision) {
    const auto patches = teapot();
    ASSERT_EQ(patches.size(), 32u);
    auto tree = create();
    build(tree, patches.geometry());
    EXPECT_GT(expect_hits_of_oracle(tree, patches, {0.5, 2}, 400, 303), 200u);
    const auto info = about(tree);
    EXPECT_EQ(info.kind, TL_PATCHES);
    EXPECT_EQ(info.n_primitives, 32u);
    EXPECT_EQ(info.n_dropped, 0u);
    EXPECT_GT(info.n_nodes, 32u);
    EXPECT_GT(info.bytes, 32u * 48 * sizeof(float));
    EXPECT_GT(info.sah_cost, 1);
    // The bounds are those of the surface, smaller than those of the control points.
    EXPECT_NEAR(info.lower[2], 0, 1e-5);
    EXPECT_NEAR(info.upper[2], 3.15, 0.01);
    EXPECT_GT(info.upper[0], 3.4f);
    EXPECT_LE(info.upper[0], 3.526f);
}

/// A flat square patch in the plane z.
void add_square(Patches& patches, float z) {
    for (int k = 0; k < 16; ++k)
        for (float x : {static_cast<float>(k / 4) / 3, static_cast<float>(k % 4) / 3, z})
            patches.points.push_back(x);
}

TEST_P(TreePatches, NormalsAndParametersOfASquareAreExact) {
    Patches patches;
    add_square(patches, 2);
    auto tree = create();
    build(tree, patches.geometry());
    const float origins[] = {0.25f, 0.5f, 0, 0.25f, 0.5f, 3, 0.25f, 0.5f, 0, 0.5f, 0.5f, 0};
    const float directions[] = {0, 0, 4, 0, 0, -1, 0, 0, 0, 0, 0, 1};
    const tl_rays rays{sizeof(tl_rays), 4, {origins, 0, 0}, {directions, 0, 0}, {}, {}, nullptr, 0};
    Hits hits(4);
    const auto out = hits.out();
    ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &out, nullptr), TL_OK) << tl_last_error();
    EXPECT_EQ(hits.t, (std::vector<float>{0.5f, 1, kInf, 2}));
    EXPECT_EQ(hits.primitives, (std::vector<std::uint32_t>{0, 0, TL_NONE, 0}));
    EXPECT_NEAR(hits.uv[0], 0.25, 1e-6);
    EXPECT_NEAR(hits.uv[1], 0.5, 1e-6);
    // The derivatives are along x and y, so that the normal is z on either side.
    for (std::size_t i : {0u, 1u, 3u}) EXPECT_FLOAT_EQ(hits.normals[3 * i + 2], 1);
    EXPECT_EQ(hits.normals[6] + hits.normals[7] + hits.normals[8], 0);
}

TEST_P(TreePatches, BordersOfPiecesAreHitOnce) {
    // So curved that it is cut in many pieces; rays through the borders of all of them.
    Patches patches;
    add_square(patches, 0);
    for (std::size_t k = 0; k < 16; ++k)
        patches.points[3 * k + 2] = k / 4 % 3 != 0 && k % 4 % 3 != 0 ? 3.0f : 0;
    auto tree = create();
    build(tree, patches.geometry());
    EXPECT_GT(about(tree).n_nodes, 16u);
    std::vector<float> origins, directions;
    for (int i = 1; i < 64; ++i)
        for (int j = 1; j < 64; ++j)
            for (float x : {static_cast<float>(i) / 64, static_cast<float>(j) / 64, 10.0f}) {
                origins.push_back(x);
                directions.push_back(x == 10 ? -1.0f : 0.0f);
            }
    const std::size_t n = origins.size() / 3;
    const tl_rays rays{sizeof(tl_rays), n, packed(origins), packed(directions), {}, {}, nullptr, 0};
    std::vector<std::uint32_t> counts(n);
    std::vector<float> t(4 * n);
    tl_hits out{};
    out.t = t.data();
    ASSERT_EQ(tl_tree_all_hits(tree.get(), &rays, 4, &out, counts.data(), nullptr), TL_OK);
    EXPECT_EQ(std::ranges::count(counts, 1u), static_cast<std::ptrdiff_t>(n));
}

TEST_P(TreePatches, DegenerateOnesHaveNoHits) {
    auto patches = random_patches(8, {0, 1}, 311, true);
    patches.set(1, 5, kNan, 0, 0);
    patches.set(2, 0, 0, kInf, 0);
    patches.weights[16 * 3 + 4] = 0;
    patches.weights[16 * 4 + 15] = -1;
    patches.weights[16 * 5] = kNan;
    patches.weights[16 * 5 + 1] = kInf;
    for (std::size_t k = 0; k < 16; ++k) {
        patches.set(6, k, 0.1f, 0.2f, 0.3f);                          // a point
        patches.set(7, k, 0.1f, static_cast<float>(k) * 0.1f, 0.3f);  // a line
    }
    auto tree = create();
    build(tree, patches.geometry());
    EXPECT_EQ(about(tree).n_dropped, 5u);
    const Rays rays({0, 1}, 2000, 312);
    const HitLists lists(tree, rays);
    for (std::size_t i = 0; i < rays.in.count; ++i)
        for (std::size_t k = 0; k < lists.counts[i]; ++k)
            EXPECT_EQ(lists.hits.primitives[kListed * i + k], 0u);
    EXPECT_GT(std::ranges::count_if(lists.counts, [](auto n) { return n > 0; }), 5);

    Patches none;
    build(tree, none.geometry());
    EXPECT_EQ(closest(tree, rays).primitives, std::vector<std::uint32_t>(2000, TL_NONE));
    EXPECT_EQ(about(tree).upper[0], 0);
}

TEST_P(TreePatches, CollapsedEdgesAreHit) {
    // A triangle with its apex at (0, 0): all points of a row are one.
    Patches patches;
    add_square(patches, 1);
    for (std::size_t k = 0; k < 16; ++k)
        patches.points[3 * k + 1] *= patches.points[3 * k];  // y times x
    auto tree = create();
    build(tree, patches.geometry());
    const float origins[] = {1e-4f, 5e-5f, 0, 0.5f, 0.25f, 0, 1e-4f, -5e-5f, 0, 0.5f, 0.75f, 0};
    const float directions[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const tl_rays rays{sizeof(tl_rays), 4, {origins, 0, 0}, {directions, 0, 0}, {}, {}, nullptr, 0};
    Hits hits(4);
    const auto out = hits.out();
    ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &out, nullptr), TL_OK) << tl_last_error();
    EXPECT_EQ(hits.t, (std::vector<float>{1, 1, kInf, kInf}));
    EXPECT_NEAR(hits.uv[1], 0.5, 1e-3);
    EXPECT_FLOAT_EQ(hits.normals[2], 1);
}

TEST(TreePatchesOfBothDevices, AreHitAtTheSamePoints) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    const auto patches = teapot();
    const auto g = patches.geometry();
    auto cpu = TreeTest::create_on("cpu"), gpu = TreeTest::create_on("cuda");
    TreeTest::build(cpu, g);
    TreeTest::build(gpu, g);
    const Rays rays({0.5, 2}, 100'000, 361);
    const auto a = closest(cpu, rays), b = closest(gpu, rays);
    std::size_t n_other = 0;
    for (std::size_t i = 0; i < rays.in.count; ++i)
        n_other += a.primitives[i] != b.primitives[i] ||
                   (std::isfinite(a.t[i]) && std::abs(a.t[i] - b.t[i]) > 1e-6f * a.t[i]);
    // Rays through the border of two patches hit either.
    EXPECT_LE(n_other, 5u);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreePatches, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreePatches, testing::Values("cuda"));

}  // namespace tl::tree_patches_tests
