// The C interface over trees: every query against brute force in double precision, on random,
// degenerate and far-away input, on both devices.
#include <gtest/gtest.h>

#include <set>

#include "tests/library/overlap_oracle.h"
#include "tests/library/tree_fixture.h"

namespace tl::tree_api_tests {

using namespace test;

class TreeApi : public TreeTest {};

TEST_P(TreeApi, ClosestPointsAreThoseOfBruteForce) {
    for (Place place : kPlaces)
        for (const char* robust : {"false", "true"}) {
            const auto mesh = random_soup(500, place.middle, place.extent, 1);
            auto tree = tree_of(mesh, {{"robust", robust}});
            constexpr std::size_t kN = 400;
            const auto queries = points_about(place, kN, 2);
            std::vector<float> distances(kN), positions(3 * kN), uv(2 * kN);
            std::vector<std::uint32_t> primitives(kN);
            const tl_closest_points out{sizeof(tl_closest_points), distances.data(),
                                        positions.data(), primitives.data(), uv.data()};
            const auto in = packed(queries);
            ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK)
                << tl_last_error();
            // Rounding of coordinates, and of distances in single precision.
            const double rounding = 1e-6 * place.extent + 1e-7 * std::abs(place.middle);
            for (std::size_t i = 0; i < kN - 2; ++i) {
                const Point p = point_at(queries, i);
                double least = kInf;
                for (std::size_t f = 0; f < mesh.n_faces(); ++f)
                    if (mesh.is_finite(f)) least = std::min(least, distance_to(p, mesh.corners(f)));
                ASSERT_NEAR(distances[i], least, rounding)
                    << i << " at " << place.middle << " " << robust << primitives[i];
                ASSERT_LT(primitives[i], mesh.n_faces());
                const auto t = mesh.corners(primitives[i]);
                ASSERT_NEAR(distance_to(p, t), least, rounding);
                Point at =
                    along(along(t.a, uv[2 * i], minus(t.b, t.a)), uv[2 * i + 1], minus(t.c, t.a));
                ASSERT_NEAR(length(minus(at, point_at(positions, i))), 0, 4 * rounding);
                ASSERT_NEAR(length(minus(p, point_at(positions, i))), least, 4 * rounding);
            }
            for (std::size_t i = kN - 2; i < kN; ++i) {
                EXPECT_EQ(distances[i], kInf);
                EXPECT_EQ(primitives[i], TL_NONE);
            }
        }
}

TEST_P(TreeApi, ClosestPointsEndAtTheLargestDistance) {
    const auto mesh = random_soup(300, 0, 1, 3);
    auto tree = tree_of(mesh);
    constexpr std::size_t kN = 300;
    const auto queries = points_about({0, 1}, kN, 4);
    std::vector<float> all(kN), near(kN);
    const auto in = packed(queries);
    tl_closest_points out{sizeof(tl_closest_points), all.data(), nullptr, nullptr, nullptr};
    ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK);
    for (float most : {0.0f, 0.05f, all[0]}) {
        out.distances = near.data();
        ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, most, &out, nullptr), TL_OK);
        for (std::size_t i = 0; i < kN; ++i) EXPECT_EQ(near[i], all[i] <= most ? all[i] : kInf);
    }
}

/// Rays between random points about a mesh.
struct TestRays {
    std::vector<float> origins, directions;
};
TestRays rays_through(Place place, std::size_t n, unsigned seed) {
    TestRays rays{points_about(place, n, seed), points_about(place, n, seed + 1)};
    for (std::size_t i = 0; i < 3 * n; ++i) rays.directions[i] -= rays.origins[i];
    return rays;
}

TEST_P(TreeApi, HitsAreThoseOfBruteForce) {
    for (Place place : kPlaces)
        for (const char* layout : {"bvh2", "bvh4", "auto"})
            for (const char* robust : {"false", "true"}) {
                const auto mesh = random_soup(400, place.middle, place.extent, 5);
                auto tree = tree_of(mesh, {{"layout", layout}, {"robust", robust}});
                constexpr std::size_t kN = 400;
                constexpr int kK = 5;
                const auto given = rays_through(place, kN, 6);
                tl_rays rays{};
                rays.count = kN;
                rays.origins = packed(given.origins);
                rays.directions = packed(given.directions);
                std::vector<float> t(kN), uv(2 * kN), normals(3 * kN), ts(kK * kN);
                std::vector<std::uint32_t> ids(kN), counts(kN), all_counts(kN), all_ids(kK * kN);
                std::vector<std::uint8_t> occluded(kN);
                const tl_hits hits{sizeof(tl_hits), t.data(),  ids.data(),
                                   nullptr,         uv.data(), normals.data()};
                const tl_hits all{sizeof(tl_hits), ts.data(), all_ids.data(),
                                  nullptr,         nullptr,   nullptr};
                ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &hits, nullptr), TL_OK);
                ASSERT_EQ(tl_tree_occluded(tree.get(), &rays, occluded.data(), nullptr), TL_OK);
                ASSERT_EQ(tl_tree_count_hits(tree.get(), &rays, counts.data(), nullptr), TL_OK);
                ASSERT_EQ(tl_tree_all_hits(tree.get(), &rays, kK, &all, all_counts.data(), nullptr),
                          TL_OK);
                int n_unclear = 0, n_hits = 0;
                for (std::size_t i = 0; i < kN; ++i) {
                    const Point o = point_at(given.origins, i), d = point_at(given.directions, i);
                    std::vector<double> expected;
                    bool is_clear = true;
                    for (std::size_t f = 0; f < mesh.n_faces(); ++f) {
                        if (!mesh.is_finite(f)) continue;
                        const auto hit = plane_hit(o, d, mesh.corners(f));
                        const double doubt = place.middle == 1e6 ? 2e-2 : 1e-4;
                        if (!std::isfinite(hit.t) || hit.inside < -doubt) continue;
                        // Too close to an edge, or to the origin, for single precision.
                        if (hit.inside < doubt || std::abs(hit.t) < doubt) is_clear = false;
                        if (hit.t > 0) expected.push_back(hit.t);
                    }
                    if (i >= kN - 2) expected.clear();
                    std::ranges::sort(expected);
                    if (!is_clear) {
                        ++n_unclear;
                        continue;
                    }
                    ASSERT_EQ(counts[i], expected.size()) << layout << robust << i;
                    ASSERT_EQ(occluded[i], !expected.empty());
                    ASSERT_EQ(all_counts[i], std::min<std::size_t>(expected.size(), kK));
                    for (std::size_t k = 0; k < kK; ++k) {
                        if (k < expected.size())
                            ASSERT_NEAR(ts[kK * i + k], expected[k], 2e-3 * (1 + expected[k]));
                        else
                            ASSERT_EQ(all_ids[kK * i + k], TL_NONE);
                    }
                    if (expected.empty()) {
                        ASSERT_EQ(ids[i], TL_NONE);
                        ASSERT_EQ(t[i], kInf);
                        continue;
                    }
                    ++n_hits;
                    ASSERT_EQ(t[i], ts[kK * i]);
                    ASSERT_EQ(ids[i], all_ids[kK * i]);
                    const auto c = mesh.corners(ids[i]);
                    Point normal = cross(minus(c.b, c.a), minus(c.c, c.a));
                    ASSERT_NEAR(dot(normal, point_at(normals, i)) / length(normal), 1, 1e-3);
                }
                EXPECT_LT(n_unclear, static_cast<int>(kN / 2));
                EXPECT_GT(n_hits, static_cast<int>(kN / 8));
            }
}

TEST_P(TreeApi, RaysKeepTheirLimitsAndMasks) {
    // Three squares of two triangles each, at z = 1, 2 and 3.
    TestMesh mesh;
    for (int z = 1; z <= 3; ++z) {
        std::size_t first = mesh.n_vertices();
        for (auto [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) mesh.add_vertex(x, y, z);
        mesh.add_face(first, first + 1, first + 2);
        mesh.add_face(first, first + 2, first + 3);
    }
    auto tree = tree_of(mesh);
    const std::vector<std::uint32_t> of_faces{1, 1, 2, 2, 4, 4};
    ASSERT_EQ(tl_tree_set_masks(tree.get(), of_faces.data(), nullptr), TL_OK);
    const std::vector<float> origins(3 * 6, 0.25f * 0);
    std::vector<float> directions;
    for (int i = 0; i < 6; ++i) directions.insert(directions.end(), {0.1f, 0.05f, 1.0f});
    const std::vector<float> t_min{0, 1.5f, 0, 0, 0, 0}, t_max{kInf, kInf, 0.5f, kInf, kInf, kInf};
    const std::vector<std::uint32_t> masks{7, 7, 7, 4, 0, 6};
    tl_rays rays{};
    rays.count = 6;
    rays.origins = packed(origins);
    rays.directions = packed(directions);
    rays.t_min = packed(t_min);
    rays.t_max = packed(t_max);
    rays.masks = masks.data();
    std::vector<float> t(6);
    std::vector<std::uint8_t> occluded(6);
    std::vector<std::uint32_t> counts(6);
    const tl_hits hits{sizeof(tl_hits), t.data(), nullptr, nullptr, nullptr, nullptr};
    ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &hits, nullptr), TL_OK) << tl_last_error();
    ASSERT_EQ(tl_tree_occluded(tree.get(), &rays, occluded.data(), nullptr), TL_OK);
    ASSERT_EQ(tl_tree_count_hits(tree.get(), &rays, counts.data(), nullptr), TL_OK);
    EXPECT_EQ(t, (std::vector<float>{1, 2, kInf, 3, kInf, 2}));
    EXPECT_EQ(occluded, (std::vector<std::uint8_t>{1, 1, 0, 1, 0, 1}));
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{3, 2, 0, 1, 0, 2}));
    rays.masks = nullptr;
    ASSERT_EQ(tl_tree_closest(tree.get(), &rays, &hits, nullptr), TL_OK);
    EXPECT_EQ(t, (std::vector<float>{1, 2, kInf, 1, 1, 1}));
}

TEST_P(TreeApi, WindingNumbersAndSignedDistances) {
    for (Place place : {Place{0, 1}, Place{1e5, 500}}) {
        const auto mesh = sphere_mesh(20, place.middle, place.extent);
        auto tree = tree_of(mesh);
        constexpr std::size_t kN = 500;
        const auto queries = points_about(place, kN, 8);
        std::vector<float> numbers(kN), distances(kN);
        std::vector<std::uint8_t> inside(kN);
        const auto in = packed(queries);
        ASSERT_EQ(tl_tree_winding_number(tree.get(), &in, kN, 0, numbers.data(), nullptr), TL_OK)
            << tl_last_error();
        ASSERT_EQ(tl_tree_signed_distance(tree.get(), &in, kN, distances.data(), nullptr), TL_OK);
        ASSERT_EQ(tl_tree_inside(tree.get(), &in, kN, inside.data(), nullptr), TL_OK);
        for (std::size_t i = 0; i < kN - 2; ++i) {
            const Point p = point_at(queries, i);
            double sum = 0, least = kInf;
            for (std::size_t f = 0; f < mesh.n_faces(); ++f) {
                sum += winding_of(p, mesh.corners(f));
                least = std::min(least, distance_to(p, mesh.corners(f)));
            }
            ASSERT_NEAR(numbers[i], sum, 4e-3) << i;
            ASSERT_EQ(inside[i], sum > 0.5);
            const double rounding = 2e-6 * place.extent + 1e-7 * place.middle;
            ASSERT_NEAR(distances[i], sum > 0.5 ? -least : least, rounding);
        }
        EXPECT_EQ(numbers[kN - 1], 0);
        EXPECT_EQ(distances[kN - 1], kInf);
    }
}

TEST_P(TreeApi, WindingNumbersOfOpenMeshes) {
    auto mesh = sphere_mesh(24, 0, 1);
    mesh.faces.resize(mesh.faces.size() * 2 / 3);
    auto tree = tree_of(mesh);
    constexpr std::size_t kN = 300;
    const auto queries = points_about({0, 1}, kN, 9);
    const auto in = packed(queries);
    double worst[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        std::vector<float> numbers(kN);
        const float accuracy = k == 0 ? 2.0f : k == 1 ? 5.0f : 1.25f;
        ASSERT_EQ(tl_tree_winding_number(tree.get(), &in, kN, accuracy, numbers.data(), nullptr),
                  TL_OK);
        for (std::size_t i = 0; i < kN - 2; ++i) {
            double sum = 0;
            for (std::size_t f = 0; f < mesh.n_faces(); ++f)
                sum += winding_of(point_at(queries, i), mesh.corners(f));
            worst[k] = std::max(worst[k], std::abs(numbers[i] - sum));
        }
    }
    EXPECT_LT(worst[0], 4e-3);
    EXPECT_LT(worst[1], 3e-4);
    EXPECT_LT(worst[2], 0.06);  // with the accuracy of signs
}

TEST_P(TreeApi, GridsHaveTheDistancesOfTheirPoints) {
    const auto mesh = sphere_mesh(12, 0, 1);
    auto tree = tree_of(mesh);
    const int size[3] = {7, 6, 5};
    const float origin[3] = {-1.2f, -1.1f, -1.0f}, spacing[3] = {0.4f, 0.45f, 0.5f};
    std::vector<float> points, on_grid(210), alone(210);
    for (int z = 0; z < 5; ++z)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 7; ++x)
                for (auto [axis, k] : {std::pair{0, x}, {1, y}, {2, z}})
                    points.push_back(origin[axis] + spacing[axis] * static_cast<float>(k));
    const auto in = packed(points);
    ASSERT_EQ(tl_tree_signed_distance(tree.get(), &in, 210, alone.data(), nullptr), TL_OK);
    ASSERT_EQ(
        tl_tree_signed_distance_grid(tree.get(), origin, spacing, size, on_grid.data(), nullptr),
        TL_OK)
        << tl_last_error();
    for (std::size_t i = 0; i < 210; ++i) EXPECT_NEAR(on_grid[i], alone[i], 1e-6) << i;
}

TEST_P(TreeApi, ListsOfBoxesAreThoseOfBruteForce) {
    for (Place place : kPlaces) {
        const auto mesh = random_soup(300, place.middle, place.extent, 10);
        auto tree = tree_of(mesh);
        constexpr std::size_t kN = 150;
        auto lower = points_about(place, kN, 11), upper = lower;
        std::mt19937 random(12);
        std::uniform_real_distribution<double> size(0, 0.5);
        for (float& x : upper) x += static_cast<float>(place.extent * size(random));
        std::vector<std::uint32_t> counts(kN);
        const auto lo = packed(lower), hi = packed(upper);
        ASSERT_EQ(tl_tree_count_in_boxes(tree.get(), &lo, &hi, kN, counts.data(), nullptr), TL_OK)
            << tl_last_error();
        const auto offsets = offsets_of(counts);
        std::vector<std::uint32_t> lists(offsets[kN]);
        ASSERT_GT(lists.size(), 50u);
        ASSERT_EQ(
            tl_tree_list_in_boxes(tree.get(), &lo, &hi, kN, offsets.data(), lists.data(), nullptr),
            TL_OK);
        for (std::size_t i = 0; i < kN; ++i) {
            std::set<std::uint32_t> expected;
            for (std::size_t f = 0; f < mesh.n_faces() && i < kN - 2; ++f)
                if (mesh.is_finite(f) &&
                    meets_box(mesh.corners(f), point_at(lower, i), point_at(upper, i)))
                    expected.insert(static_cast<std::uint32_t>(f));
            const auto first = lists.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
            ASSERT_EQ(std::set(first, first + counts[i]), expected) << i;
            ASSERT_EQ(counts[i], expected.size());
        }
    }
}

TEST_P(TreeApi, PairsAreThoseOfBruteForce) {
    for (Place place : kPlaces) {
        const auto a = random_soup(600, place.middle, place.extent, 13);
        const auto b = random_soup(500, place.middle, place.extent, 14);
        auto tree_a = tree_of(a), tree_b = tree_of(b);
        auto pairs_of = [](const tl_tree* s, const tl_tree* t) {
            std::size_t n = 0, again = 0;
            EXPECT_EQ(tl_tree_pairs(s, t, 0, nullptr, &n, nullptr), TL_OK) << tl_last_error();
            std::vector<std::uint32_t> list(2 * n);
            EXPECT_EQ(tl_tree_pairs(s, t, n, list.data(), &again, nullptr), TL_OK);
            EXPECT_EQ(n, again);
            std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
            for (std::size_t k = 0; k < n; ++k) pairs.emplace(list[2 * k], list[2 * k + 1]);
            EXPECT_EQ(pairs.size(), n);
            return pairs;
        };
        std::set<std::pair<std::uint32_t, std::uint32_t>> expected, own;
        for (std::uint32_t f = 0; f < a.n_faces(); ++f) {
            if (!a.is_finite(f)) continue;
            for (std::uint32_t g = 0; g < b.n_faces(); ++g)
                if (b.is_finite(g) && triangles_meet(a.corners(f), b.corners(g)))
                    expected.emplace(f, g);
            for (std::uint32_t g = f + 1; g < a.n_faces(); ++g)
                if (a.is_finite(g) && triangles_meet(a.corners(f), a.corners(g))) own.emplace(f, g);
        }
        ASSERT_GT(expected.size(), 100u);
        EXPECT_EQ(pairs_of(tree_a.get(), tree_b.get()), expected);
        EXPECT_EQ(pairs_of(tree_a.get(), tree_a.get()), own);
    }
    // Neighbours in a mesh share vertices and do not count.
    auto sphere = tree_of(sphere_mesh(10, 0, 1));
    std::size_t n = 1;
    ASSERT_EQ(tl_tree_pairs(sphere.get(), sphere.get(), 0, nullptr, &n, nullptr), TL_OK);
    EXPECT_EQ(n, 0u);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeApi, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeApi, testing::Values("cuda"));

}  // namespace tl::tree_api_tests
