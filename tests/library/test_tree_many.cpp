// Many queries of trees, of several threads, of sorted lists, and a million against brute force.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "tests/library/tree_fixture.h"
#include "tests/long_test.h"

namespace tl::tree_many_tests {

using namespace test;

class TreeMany : public TreeTest {};

TEST_P(TreeMany, ThreadsQueryOneTree) {
    const auto mesh = random_soup(300, 0, 1, 95);
    auto tree = tree_of(mesh);
    const Rays rays({0, 1}, 2000, 96);
    const auto expected = closest(tree, rays);
    std::vector<std::thread> threads;
    std::vector<Hits> found(4, Hits(2000));
    for (auto& hits : found)
        threads.emplace_back([&] {
            const auto out = hits.out();
            for (int k = 0; k < 20; ++k)
                EXPECT_EQ(tl_tree_closest(tree.get(), &rays.in, &out, nullptr), TL_OK);
        });
    for (auto& thread : threads) thread.join();
    for (auto& hits : found) EXPECT_EQ(hits.primitives, expected.primitives);
}

TEST_P(TreeMany, ManyQueriesAreThoseOfFew) {
    // Enough that a GPU sorts them; few queries are not sorted.
    const auto mesh = random_soup(2000, 0, 1, 97);
    auto tree = tree_of(mesh);
    constexpr std::size_t kN = 70'000, kFew = 1000;
    const auto points = points_about({0, 1}, kN, 98);
    const Rays rays({0, 1}, kN, 98);
    std::vector<float> many(kN), few(kN);
    const tl_closest_points out{sizeof(tl_closest_points), many.data(), nullptr, nullptr, nullptr};
    const auto in = packed(points);
    ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK);
    const auto hits = closest(tree, rays);
    Hits own(kFew);
    for (std::size_t first = 0; first < kN; first += kFew) {
        const tl_floats part{points.data() + 3 * first, 0, 0};
        const tl_closest_points to{sizeof(tl_closest_points), few.data() + first, nullptr, nullptr,
                                   nullptr};
        ASSERT_EQ(tl_tree_closest_point(tree.get(), &part, kFew, kInf, &to, nullptr), TL_OK);
        tl_rays some = rays.in;
        some.count = kFew;
        some.origins.data += 3 * first;
        some.directions.data += 3 * first;
        const auto own_out = own.out();
        ASSERT_EQ(tl_tree_closest(tree.get(), &some, &own_out, nullptr), TL_OK);
        ASSERT_TRUE(std::equal(own.primitives.begin(), own.primitives.end(),
                               hits.primitives.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    for (std::size_t i = 0; i < kN; ++i)
        ASSERT_TRUE(many[i] == few[i] || std::abs(many[i] - few[i]) < 1e-6f) << i;
}

bool is_sliver(const Corners& t) {
    const Point e = minus(t.b, t.a), f = minus(t.c, t.a);
    return length(cross(e, f)) < 1e-5 * length(e) * length(f);
}

/// A million queries of a small mesh, against brute force, near the origin and far away.
TEST_P(TreeMany, AMillionQueriesAreThoseOfBruteForce) {
    TL_LONG_TEST();
    constexpr std::size_t kN = 1'000'000, kFaces = 40;
    for (Place place : kPlaces) {
        const auto mesh = random_soup(kFaces, place.middle, place.extent, 111);
        auto tree = tree_of(mesh);
        const auto points = points_about(place, kN, 112);
        const Rays rays(place, kN, 112);
        const auto hits = closest(tree, rays);
        std::vector<float> distances(kN), numbers(kN);
        const auto in = packed(points);
        const tl_closest_points out{sizeof(tl_closest_points), distances.data(), nullptr, nullptr,
                                    nullptr};
        ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK);
        ASSERT_EQ(tl_tree_winding_number(tree.get(), &in, kN, 0, numbers.data(), nullptr), TL_OK);
        std::vector<Corners> faces;
        for (std::size_t f = 0; f < kFaces; ++f)
            if (mesh.is_finite(f)) faces.push_back(mesh.corners(f));
        const double rounding = 1e-6 * place.extent + 1e-7 * std::abs(place.middle);
        const double doubt = place.middle == 1e6 ? 2e-2 : 1e-4;
        std::atomic<std::size_t> n_wrong{0}, n_hits{0};
        auto check = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                const Point p = point_at(points, i), d = point_at(rays.directions, i);
                double least = kInf, sum = 0, t = kInf;
                bool is_clear = true;
                for (const auto& face : faces) {
                    least = std::min(least, distance_to(p, face));
                    sum += winding_of(p, face);
                    const auto hit = plane_hit(p, d, face);
                    if (!std::isfinite(hit.t) || hit.inside < -doubt) continue;
                    if (hit.inside < doubt || std::abs(hit.t) < doubt) is_clear = false;
                    if (hit.t > 0) t = std::min(t, hit.t);
                }
                // A triangle with hardly an area is hit by rays that pass it within rounding.
                if (hits.primitives[i] != TL_NONE && is_sliver(mesh.corners(hits.primitives[i])))
                    is_clear = false;
                const double found = static_cast<double>(hits.t[i]);
                bool fine = std::abs(static_cast<double>(distances[i]) - least) <= rounding;
                // Winding numbers jump at the triangles.
                fine = fine && (least < 1e-4 * place.extent + 10 * rounding ||
                                std::abs(static_cast<double>(numbers[i]) - sum) < 0.01);
                fine = fine && (!is_clear || found == t || std::abs(found - t) < 2e-3 * (1 + t));
                n_wrong += fine ? 0 : 1;
                n_hits += is_clear && t < static_cast<double>(kInf) ? 1 : 0;
            }
        };
        std::thread other(check, std::size_t{0}, kN / 2);
        check(kN / 2, kN - 2);
        other.join();
        EXPECT_EQ(n_wrong, 0u) << place.middle;
        EXPECT_GT(n_hits, kN / 50);
    }
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeMany, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeMany, testing::Values("cuda"));

}  // namespace tl::tree_many_tests
