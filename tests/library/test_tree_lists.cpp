// A million queries whose results are lists, against brute force in double precision. With
// TREELIGHT_TREE_QUERIES=N in the environment there are N of each.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "tests/library/overlap_oracle.h"
#include "tests/library/tree_fixture.h"
#include "tests/long_test.h"

namespace tl::tree_lists_tests {

using namespace test;

class TreeLists : public TreeTest {};

std::size_t n_queries() {
    const char* wanted = std::getenv("TREELIGHT_TREE_QUERIES");
    return wanted ? std::strtoull(wanted, nullptr, 10) : 1'000'000;
}

/// Calls is_right(i) for all queries on two threads, and expects it of all. The last two queries
/// are not finite.
template <class IsRight>
void expect_all(std::size_t n, Place place, const IsRight& is_right) {
    std::atomic<std::size_t> n_wrong{0}, first_wrong{n};
    auto check = [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i)
            if (!is_right(i)) {
                ++n_wrong;
                first_wrong = i;
            }
    };
    std::thread other(check, std::size_t{0}, n / 2);
    check(n / 2, n);
    other.join();
    EXPECT_EQ(n_wrong, 0u) << "at " << place.middle << ", one of them " << first_wrong;
}

/// Whether the list of query i has exactly the indices from 0 to n for which is_in() is true;
/// doubtful ones may be in it. `is_in` returns 1, 0 or, in doubt, -1.
template <class IsIn>
bool is_list(const std::vector<std::uint64_t>& offsets, const std::vector<std::uint32_t>& lists,
             std::size_t i, std::uint32_t n, const IsIn& is_in) {
    std::vector<std::uint32_t> list(lists.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                                    lists.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
    std::ranges::sort(list);
    std::size_t at = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
        const bool is_listed = at < list.size() && list[at] == k;
        const int expected = is_in(k);
        if (expected >= 0 && is_listed != (expected == 1)) return false;
        at += is_listed;
    }
    return at == list.size();
}

TEST_P(TreeLists, AllHitsOfAMillionRays) {
    TL_LONG_TEST();
    const std::size_t n = n_queries();
    constexpr std::size_t kFaces = 40, kListed = 6;
    for (Place place : kPlaces) {
        const auto mesh = random_soup(kFaces, place.middle, place.extent, 401);
        auto tree = tree_of(mesh);
        const Rays rays(place, n, 402);
        std::vector<float> t(kListed * n);
        std::vector<std::uint32_t> primitives(kListed * n), counts(n), all(n);
        tl_hits out{};
        out.t = t.data();
        out.primitives = primitives.data();
        ASSERT_EQ(tl_tree_all_hits(tree.get(), &rays.in, kListed, &out, counts.data(), nullptr),
                  TL_OK);
        ASSERT_EQ(tl_tree_count_hits(tree.get(), &rays.in, all.data(), nullptr), TL_OK);
        const auto offsets = offsets_of(all);
        std::vector<float> listed(offsets.back());
        tl_hits lists{};
        lists.t = listed.data();
        ASSERT_EQ(tl_tree_list_hits(tree.get(), &rays.in, offsets.data(), &lists, nullptr), TL_OK);
        const double doubt = place.middle == 1e6 ? 2e-2 : 1e-4;
        std::atomic<std::size_t> n_listed{0};
        expect_all(n - 2, place, [&](std::size_t i) {
            std::vector<double> expected;
            for (std::size_t f = 0; f < kFaces; ++f) {
                if (!mesh.is_finite(f)) continue;
                const auto hit = plane_hit(point_at(rays.origins, i), point_at(rays.directions, i),
                                           mesh.corners(f));
                // Triangles with hardly an area have no certain hits.
                if (!std::isfinite(hit.t) || f % 50 == 7 || f % 50 == 8 || f % 50 == 9) {
                    for (std::size_t k = 0; k < counts[i]; ++k)
                        if (primitives[kListed * i + k] == f) return true;
                    continue;
                }
                if (hit.inside < -doubt) continue;
                if (hit.inside < doubt || std::abs(hit.t) < doubt) return true;
                if (hit.t > 0) expected.push_back(hit.t);
            }
            std::ranges::sort(expected);
            if (all[i] != expected.size() || counts[i] != std::min(kListed, expected.size()))
                return false;
            for (std::size_t k = 0; k < kListed; ++k) {
                const double found = static_cast<double>(t[kListed * i + k]);
                if (k >= counts[i] ? found != kFar
                                   : !(std::abs(found - expected[k]) < 2e-3 * (1 + found)))
                    return false;
                if (k < counts[i] && listed[offsets[i] + k] != t[kListed * i + k]) return false;
            }
            n_listed += counts[i];
            return true;
        });
        EXPECT_GT(n_listed, n / 40);
    }
}

/// Triangles across the line through the origin along x, `n` at x = 1, 2, ..., each `times` times.
TestMesh stack_of_triangles(std::size_t n, std::size_t times) {
    TestMesh mesh;
    for (std::size_t i = 0; i < n * times; ++i)
        for (auto [y, z] : {std::pair{-1.0f, -1.0f}, {3.0f, -1.0f}, {-1.0f, 3.0f}}) {
            mesh.faces.push_back(static_cast<std::uint32_t>(mesh.n_vertices()));
            mesh.vertices.insert(mesh.vertices.end(),
                                 {static_cast<float>(1 + (i * 7919) % n), y, z});
        }
    return mesh;
}

TEST_P(TreeLists, HitsOfALongListAreInOrder) {
    constexpr std::size_t kPlanes = 3000, kTimes = 3;
    auto tree = tree_of(stack_of_triangles(kPlanes, kTimes));
    // Along the line, against it, past it, from the middle, not finite.
    const std::vector<float> origins{0, 0, 0, 4000, 0, 0, 0, 5, 5, 1500.5f, 0, 0, kNan, 0, 0},
        directions{1, 0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    tl_rays rays{};
    rays.count = 5;
    rays.origins = packed(origins);
    rays.directions = packed(directions);
    std::vector<std::uint32_t> counts(rays.count);
    ASSERT_EQ(tl_tree_count_hits(tree.get(), &rays, counts.data(), nullptr), TL_OK);
    EXPECT_EQ(counts, (std::vector<std::uint32_t>{9000, 9000, 0, 4500, 0}));
    const auto offsets = offsets_of(counts);
    Hits hits(offsets.back());
    const auto out = hits.out();
    ASSERT_EQ(tl_tree_list_hits(tree.get(), &rays, offsets.data(), &out, nullptr), TL_OK);
    for (std::size_t i = 0; i < offsets.back(); ++i) {
        const std::size_t at = i < 9000 ? i / kTimes : i < 18000 ? (i - 9000) / kTimes : i / kTimes;
        const double x = i < 9000 ? at + 1.0 : i < 18000 ? 4000.0 - kPlanes + at : at - 6000 + 0.5;
        ASSERT_EQ(hits.t[i], static_cast<float>(x)) << i;
        if (i % kTimes > 0) {
            EXPECT_LT(hits.primitives[i - 1], hits.primitives[i]);
        }
        EXPECT_NEAR(hits.uv[2 * i], 0.25, 1e-6);
        EXPECT_NEAR(hits.uv[2 * i + 1], 0.25, 1e-6);
        EXPECT_EQ(std::abs(hits.normals[3 * i]), 1);
    }
}

TEST_P(TreeLists, HitsOfFewRaysAreThoseOfAllHits) {
    for (Place place : kPlaces) {
        constexpr std::size_t kRays = 300;
        constexpr int kMost = 200;
        auto tree = tree_of(random_soup(3000, place.middle, place.extent, 405));
        const Rays rays(place, kRays, 406);
        Hits all(kMost * kRays);
        std::vector<std::uint32_t> counts(kRays);
        auto out = all.out();
        ASSERT_EQ(tl_tree_all_hits(tree.get(), &rays.in, kMost, &out, counts.data(), nullptr),
                  TL_OK);
        const auto offsets = offsets_of(counts);
        ASSERT_GT(offsets.back(), kRays);
        Hits lists(offsets.back());
        out = lists.out();
        ASSERT_EQ(tl_tree_list_hits(tree.get(), &rays.in, offsets.data(), &out, nullptr), TL_OK)
            << tl_last_error();
        for (std::size_t i = 0; i < kRays; ++i)
            for (std::size_t k = 0; k < counts[i]; ++k) {
                const std::size_t here = offsets[i] + k, there = kMost * i + k;
                EXPECT_EQ(lists.t[here], all.t[there]);
                EXPECT_EQ(lists.primitives[here], all.primitives[there]);
                for (std::size_t c = 0; c < 2; ++c)
                    EXPECT_EQ(lists.uv[2 * here + c], all.uv[2 * there + c]);
                for (std::size_t c = 0; c < 3; ++c)
                    EXPECT_EQ(lists.normals[3 * here + c], all.normals[3 * there + c]);
            }
    }
}

TEST_P(TreeLists, CoherentRaysHaveTheSameHits) {
    const Place place = kPlaces[0];
    auto tree = tree_of(random_soup(500, place.middle, place.extent, 407));
    Rays rays(place, 40'000, 408);
    const Hits expected = closest(tree, rays);
    rays.in.coherent = 1;
    const Hits found = closest(tree, rays);
    EXPECT_EQ(found.t, expected.t);
    EXPECT_EQ(found.primitives, expected.primitives);
}

/// Points of which some coincide, some lie on a line, and two are not finite.
std::vector<float> mixed_points(Place place, std::size_t n) {
    auto points = points_about(place, n, 411);
    for (std::size_t i = 0; i < n / 10; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            points[3 * i + c] = points[3 * (n / 2) + c];
            if (c > 0) points[3 * (n / 5 + i) + c] = static_cast<float>(place.middle);
        }
    return points;
}

TEST_P(TreeLists, NeighboursOfAMillionPoints) {
    TL_LONG_TEST();
    const std::size_t n = n_queries();
    constexpr std::size_t kPoints = 300, kNear = 6;
    for (Place place : kPlaces) {
        const auto positions = mixed_points(place, kPoints);
        auto tree = create();
        build(tree, geometry_of_points(positions));
        const auto queries = points_about(place, n, 412);
        const auto in = packed(queries);
        const auto radius = static_cast<float>(0.35 * place.extent);
        std::vector<std::uint32_t> indices(kNear * n), counts(n);
        std::vector<float> distances(kNear * n);
        ASSERT_EQ(tl_tree_nearest(tree.get(), &in, n, kNear, kInf, indices.data(), distances.data(),
                                  nullptr),
                  TL_OK);
        ASSERT_EQ(tl_tree_count_within(tree.get(), &in, n, radius, counts.data(), nullptr), TL_OK);
        const auto offsets = offsets_of(counts);
        std::vector<std::uint32_t> lists(offsets[n]);
        ASSERT_EQ(tl_tree_list_within(tree.get(), &in, n, radius, offsets.data(), lists.data(),
                                      nullptr, nullptr),
                  TL_OK);
        EXPECT_GT(lists.size(), n);
        // Distances are exact but for the rounding of differences and of their squares.
        const double rounding = 1e-6 * place.extent;
        expect_all(n - 2, place, [&](std::size_t i) {
            const Point q = point_at(queries, i);
            std::array<double, kPoints> all;
            for (std::size_t k = 0; k < kPoints; ++k) {
                const double d = length(minus(point_at(positions, k), q));
                all[k] = std::isfinite(d) ? d : kFar;
            }
            if (!is_list(offsets, lists, i, kPoints, [&](std::uint32_t k) {
                    const double beyond = all[k] - static_cast<double>(radius);
                    return std::abs(beyond) < rounding ? -1 : beyond < 0 ? 1 : 0;
                }))
                return false;
            for (std::size_t k = 0; k < kNear; ++k) {
                const std::size_t at = kNear * i + k;
                if (indices[at] >= kPoints ||
                    !(std::abs(all[indices[at]] - static_cast<double>(distances[at])) < rounding))
                    return false;
            }
            std::ranges::partial_sort(all, all.begin() + kNear);
            for (std::size_t k = 0; k < kNear; ++k)
                if (!(std::abs(all[k] - static_cast<double>(distances[kNear * i + k])) < rounding))
                    return false;
            return true;
        });
        for (std::size_t i : {n - 2, n - 1}) EXPECT_EQ(counts[i], 0u);
    }
}

/// Boxes about points, some without a volume and some with the lower above the upper corner.
std::vector<float> upper_corners(const std::vector<float>& lower, Place place) {
    auto upper = lower;
    std::mt19937 random(421);
    std::uniform_real_distribution<double> size(0, 0.4);
    for (std::size_t i = 0; i < upper.size(); ++i)
        if (i % 30 > 2)
            upper[i] += static_cast<float>(place.extent * (size(random) - (i % 97 == 0 ? 0.4 : 0)));
    return upper;
}

/// Checks the lists of a million boxes by a function that decides whether primitive k is in one.
template <class IsInBox>
void expect_lists_in_boxes(const TreeOwner& tree, Place place, std::uint32_t n_primitives,
                           const IsInBox& is_in_box) {
    const std::size_t n = n_queries();
    const auto lower = points_about(place, n, 423), upper = upper_corners(lower, place);
    const auto lo = packed(lower), hi = packed(upper);
    std::vector<std::uint32_t> counts(n);
    ASSERT_EQ(tl_tree_count_in_boxes(tree.get(), &lo, &hi, n, counts.data(), nullptr), TL_OK);
    const auto offsets = offsets_of(counts);
    std::vector<std::uint32_t> lists(offsets[n]);
    ASSERT_EQ(tl_tree_list_in_boxes(tree.get(), &lo, &hi, n, offsets.data(), lists.data(), nullptr),
              TL_OK);
    EXPECT_GT(lists.size(), n / 40);
    expect_all(n - 2, place, [&](std::size_t i) {
        const Point from = point_at(lower, i), to = point_at(upper, i);
        const bool is_box = from[0] <= to[0] && from[1] <= to[1] && from[2] <= to[2];
        return is_list(offsets, lists, i, n_primitives,
                       [&](std::uint32_t k) { return is_box && is_in_box(k, from, to) ? 1 : 0; });
    });
}

TEST_P(TreeLists, TrianglesInAMillionBoxes) {
    TL_LONG_TEST();
    for (Place place : kPlaces) {
        const auto mesh = random_soup(40, place.middle, place.extent, 422);
        std::vector<Corners> faces;
        for (std::size_t f = 0; f < mesh.n_faces(); ++f) faces.push_back(mesh.corners(f));
        expect_lists_in_boxes(tree_of(mesh), place, 40,
                              [&](std::uint32_t k, const Point& lo, const Point& hi) {
                                  return mesh.is_finite(k) && meets_box(faces[k], lo, hi);
                              });
    }
}

TEST_P(TreeLists, BoxesInAMillionBoxes) {
    TL_LONG_TEST();
    constexpr std::uint32_t kBoxes = 200;
    for (Place place : kPlaces) {
        const auto lower = points_about(place, kBoxes, 431);
        auto upper = lower;
        for (std::size_t i = 0; i < upper.size(); i += 2)
            upper[i] += static_cast<float>(0.1 * place.extent);
        tl_geometry g{};
        g.kind = TL_BOXES;
        g.count = kBoxes;
        g.positions = packed(lower);
        g.upper = packed(upper);
        auto tree = create();
        build(tree, g);
        expect_lists_in_boxes(
            tree, place, kBoxes, [&](std::uint32_t k, const Point& lo, const Point& hi) {
                const Point own_lo = point_at(lower, k), own_hi = point_at(upper, k);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (!(own_lo[axis] <= hi[axis] && own_hi[axis] >= lo[axis]) ||
                        !std::isfinite(own_lo[axis]))
                        return false;
                return k < kBoxes - 2;
            });
    }
}

TEST_P(TreeLists, AMillionPairsOfTriangles) {
    TL_LONG_TEST();
    // Triangles as large as the whole, so that many of all pairs intersect.
    const auto size = static_cast<std::size_t>(std::sqrt(12 * static_cast<double>(n_queries())));
    const Place place = kPlaces[1];
    auto large = [&](unsigned seed) {
        auto mesh = random_soup(size, place.middle, place.extent, seed);
        for (std::size_t i = 0; i < mesh.vertices.size(); i += 9)
            for (std::size_t k = 3; k < 9; ++k)
                mesh.vertices[i + k] = mesh.vertices[i + k % 3] +
                                       10 * (mesh.vertices[i + k] - mesh.vertices[i + k % 3]);
        return mesh;
    };
    const auto a = large(441), b = large(442);
    auto tree_a = tree_of(a), tree_b = tree_of(b);
    std::size_t n = 0, again = 0;
    ASSERT_EQ(tl_tree_pairs(tree_a.get(), tree_b.get(), 0, nullptr, &n, nullptr), TL_OK);
    EXPECT_GT(n, n_queries());
    std::vector<std::uint32_t> pairs(2 * n), counts(size);
    ASSERT_EQ(tl_tree_pairs(tree_a.get(), tree_b.get(), n, pairs.data(), &again, nullptr), TL_OK);
    ASSERT_EQ(n, again);
    for (std::size_t k = 0; k < n; ++k) ++counts[pairs[2 * k]];
    const auto offsets = offsets_of(counts);
    std::vector<std::uint32_t> lists(n);
    auto next = offsets;
    for (std::size_t k = 0; k < n; ++k) lists[next[pairs[2 * k]]++] = pairs[2 * k + 1];
    expect_all(size, place, [&](std::size_t f) {
        return is_list(offsets, lists, f, static_cast<std::uint32_t>(size), [&](std::uint32_t k) {
            return a.is_finite(f) && b.is_finite(k) && triangles_meet(a.corners(f), b.corners(k));
        });
    });
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeLists, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeLists, testing::Values("cuda"));

}  // namespace tl::tree_lists_tests
