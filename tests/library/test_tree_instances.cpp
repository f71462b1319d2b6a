// Trees of the C interface over instances: their hits are those of all of them as one mesh.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/library/tree_fixture.h"

namespace tl::tree_instances_tests {

using namespace test;

class TreeInstances : public TreeTest {};

/// All hits of each ray, by tl_tree_list_hits().
struct AllHits {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint64_t> offsets;
    Hits hits{0};

    AllHits(const TreeOwner& tree, const Rays& rays) : counts(rays.in.count) {
        EXPECT_EQ(tl_tree_count_hits(tree.get(), &rays.in, counts.data(), nullptr), TL_OK)
            << tl_last_error();
        offsets = offsets_of(counts);
        hits = Hits(offsets.back());
        const auto out = hits.out();
        EXPECT_EQ(tl_tree_list_hits(tree.get(), &rays.in, offsets.data(), &out, nullptr), TL_OK)
            << tl_last_error();
    }
};

/// Expects the same hits of instances of a mesh of `n_faces` and of all of them as one mesh.
void expect_same_lists(const TreeOwner& tree, const TreeOwner& one, const Rays& rays,
                       std::size_t n_faces) {
    const AllHits found(tree, rays), expected(one, rays);
    const std::size_t n = rays.in.count;
    constexpr int kMost = 64;
    Hits first(kMost * n);
    std::vector<std::uint32_t> counts(n);
    const auto out = first.out();
    ASSERT_EQ(tl_tree_all_hits(tree.get(), &rays.in, kMost, &out, counts.data(), nullptr), TL_OK);
    EXPECT_EQ(counts, found.counts);
    std::size_t n_different = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (found.counts[i] != expected.counts[i]) {
            ++n_different;
            continue;
        }
        for (std::size_t k = 0; k < found.counts[i]; ++k) {
            const std::size_t a = found.offsets[i] + k, b = expected.offsets[i] + k;
            ASSERT_NEAR(found.hits.t[a], expected.hits.t[b], 1e-4);
            ASSERT_EQ(found.hits.instances[a] * n_faces + found.hits.primitives[a],
                      expected.hits.primitives[b]);
            for (std::size_t c = 0; c < 2; ++c)
                ASSERT_NEAR(found.hits.uv[2 * a + c], expected.hits.uv[2 * b + c], 1e-3);
            EXPECT_EQ(first.t[kMost * i + k], found.hits.t[a]);
            EXPECT_EQ(first.instances[kMost * i + k], found.hits.instances[a]);
        }
    }
    EXPECT_GT(found.offsets.back(), 60u);
    EXPECT_LE(n_different, 3u);  // at edges
}

TEST_P(TreeInstances, AreTheirTransformedMeshes) {
    const auto mesh = random_soup(300, 0, 0.5, 51);
    auto of = tree_of(mesh);
    constexpr std::size_t kInstances = 8, kN = 300;
    std::mt19937 random(52);
    std::uniform_real_distribution<float> unit(-1, 1);
    std::vector<float> transforms(12 * kInstances);
    for (float& x : transforms) x = unit(random);
    for (int c = 0; c < 4; ++c) transforms[static_cast<std::size_t>(12 + c)] = 0;  // singular
    std::vector<tl_tree*> trees(kInstances, of.get());
    tl_geometry g{};
    g.kind = TL_INSTANCES;
    g.count = kInstances;
    g.trees = trees.data();
    g.transforms = transforms.data();
    auto tree = create();
    build(tree, g);
    EXPECT_EQ(about(tree).n_dropped, 1u);
    // The same geometry as one mesh.
    TestMesh flat;
    for (std::size_t i = 0; i < kInstances; ++i) {
        const float* m = &transforms[12 * i];
        for (std::size_t v = 0; v < mesh.n_vertices(); ++v) {
            const Point p = mesh.vertex(v);
            Point q{};
            for (std::size_t r = 0; r < 3; ++r)
                q[r] = i == 1 ? kNan
                              : m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] +
                                    m[4 * r + 3];
            flat.add_vertex(q[0], q[1], q[2]);
        }
        for (std::uint32_t v : mesh.faces)
            flat.faces.push_back(v + static_cast<std::uint32_t>(i * mesh.n_vertices()));
    }
    auto one = tree_of(flat);
    const Rays rays({0, 1}, kN, 53);
    const auto hits = closest(tree, rays), expected = closest(one, rays);
    std::vector<std::uint8_t> occluded(kN);
    ASSERT_EQ(tl_tree_occluded(tree.get(), &rays.in, occluded.data(), nullptr), TL_OK);
    std::size_t n_hits = 0, n_different = 0;
    for (std::size_t i = 0; i < kN; ++i) {
        ASSERT_EQ(occluded[i], hits.primitives[i] != TL_NONE);
        bool same = (hits.primitives[i] == TL_NONE) == (expected.primitives[i] == TL_NONE);
        if (same && hits.primitives[i] != TL_NONE) {
            ++n_hits;
            std::uint32_t id =
                hits.instances[i] * static_cast<std::uint32_t>(mesh.n_faces()) + hits.primitives[i];
            same = id == expected.primitives[i];
            if (same) {
                ASSERT_NEAR(hits.t[i], expected.t[i], 1e-4);
                const Point a = point_at(hits.normals, i), b = point_at(expected.normals, i);
                // A mirroring matrix turns a mesh inside out.
                ASSERT_NEAR(std::abs(dot(a, b)), 1, 1e-3);
            }
        }
        n_different += same ? 0 : 1;
    }
    EXPECT_GT(n_hits, 60u);
    EXPECT_LE(n_different, 3u);  // at edges
    expect_same_lists(tree, one, rays, mesh.n_faces());
    // Moved away.
    for (std::size_t i = 0; i < kInstances; ++i) transforms[12 * i + 3] += 100;
    ASSERT_EQ(tl_tree_refit(tree.get(), &g, nullptr), TL_OK) << tl_last_error();
    for (auto primitive : closest(tree, rays).primitives) EXPECT_EQ(primitive, TL_NONE);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeInstances, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeInstances, testing::Values("cuda"));

}  // namespace tl::tree_instances_tests
