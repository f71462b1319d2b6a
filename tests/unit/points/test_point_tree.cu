// Point trees on both devices, against brute force. Every point is in one leaf, on its side of all
// planes. Nearest neighbours are exact, bit for bit, at awkward counts and positions.
#include <algorithm>
#include <random>

#include "accel/points/find_nearest.h"
#include "accel/points/point_search.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using Points = std::vector<vec3>;

/// Point sets, most of them hard to split: in a cube, in clusters, on a line, in a plane, all at
/// one position, at the nodes of a coarse grid.
Points points_of(const std::string& kind, std::size_t n, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::normal_distribution<float> normal;
    Points points;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 p(uniform(engine), uniform(engine), uniform(engine));
        if (kind == "clusters")
            p = 0.001f * vec3(normal(engine), normal(engine), normal(engine)) +
                vec3(float(i % 7), float(i % 3), 0);
        if (kind == "line") p = p.x * vec3(1, 2, -3);
        if (kind == "plane") p.y = 0.25f;
        if (kind == "one place") p = vec3(3, -1, 2);
        if (kind == "grid") p = glm::round(p * 4.0f) / 4.0f;
        points.push_back(p);
    }
    return points;
}

struct Built {
    PointTree tree;
    DeviceArray<vec3> points;
    DeviceArray<std::uint32_t> count;

    Built(Stream& stream, Scratch& scratch, const Points& given, std::size_t capacity = 0)
        : points(stream, std::span<const vec3>(given)), count(stream, 1) {
        auto n = static_cast<std::uint32_t>(given.size());
        if (capacity > given.size()) {
            Points padded = given;
            padded.resize(capacity, vec3(0));
            points.assign(stream, std::span<const vec3>(padded));
        }
        count.assign(stream, std::span<const std::uint32_t>(&n, 1));
        tree.build(scratch, points.view(), count.data());
    }
};

/// Squares of the distances from each query point to all points, sorted.
std::vector<std::vector<float>> by_brute_force(Stream& stream, const Points& points,
                                               const Points& places) {
    if (points.empty()) return std::vector<std::vector<float>>(places.size());
    DeviceArray<vec3> from(stream, std::span<const vec3>(places));
    DeviceArray<vec3> to(stream, std::span<const vec3>(points));
    DeviceArray<float> squares(stream, points.size() * places.size());
    auto n = static_cast<std::uint32_t>(points.size());
    auto all = squares.view();
    View<const vec3> p = from.view(), q = to.view();
    parallel_for(
        stream, "brute force", static_cast<std::uint32_t>(squares.size()),
        TL_LAMBDA(std::uint32_t i) { all[i] = square_distance(p[i / n], q[i % n]); });
    auto host = squares.download(stream);
    std::vector<std::vector<float>> sorted;
    for (std::size_t i = 0; i < places.size(); ++i) {
        sorted.emplace_back(host.begin() + std::ptrdiff_t(i * n),
                            host.begin() + std::ptrdiff_t((i + 1) * n));
        std::sort(sorted.back().begin(), sorted.back().end());
    }
    return sorted;
}

/// Checks that the points below a node lie on the right sides of its planes; appends the indices in
/// the leaves.
void walk(const std::vector<PointNode>& nodes, const std::vector<TreePoint>& points,
          std::uint32_t at, const Box& cell, int depth, std::vector<std::uint32_t>& found) {
    ASSERT_LT(at, nodes.size());
    ASSERT_LT(depth, kMostPointLevels);
    PointNode node = nodes[at];
    if (node.is_leaf()) {
        for (std::uint32_t i = 0; i < node.count(); ++i) {
            const TreePoint& point = points.at(node.first() + i);
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_GE(point.position[axis], cell.lo[axis]);
                EXPECT_LE(point.position[axis], cell.hi[axis]);
            }
            found.push_back(point.index);
        }
        return;
    }
    Box left = cell, right = cell;
    left.hi[node.axis()] = right.lo[node.axis()] = node.plane();
    walk(nodes, points, at + 1, left, depth + 1, found);
    ASSERT_GT(node.right(), at);
    walk(nodes, points, node.right(), right, depth + 1, found);
}

/// The nodes of a tree, and the points in its leaves.
struct HostTree {
    std::vector<PointNode> nodes;
    std::vector<TreePoint> points;

    HostTree(Stream& stream, const PointTree& tree)
        : nodes(tree.view().nodes.size), points(tree.view().points.size) {
        PointTreeView view = tree.view();
        auto& device = stream.device();
        device.download(stream, nodes.data(), view.nodes.data, nodes.size() * sizeof(PointNode));
        if (!points.empty())
            device.download(stream, points.data(), view.points.data,
                            points.size() * sizeof(TreePoint));
    }
    /// Points in the leaves below a node.
    [[nodiscard]] Points below(std::uint32_t at) const {
        PointNode node = nodes[at];
        Points found;
        if (node.is_leaf()) {
            for (std::uint32_t i = 0; i < node.count(); ++i)
                found.push_back(points[node.first() + i].position);
            return found;
        }
        found = below(at + 1);
        Points right = below(node.right());
        found.insert(found.end(), right.begin(), right.end());
        return found;
    }
};

void expect_whole(Stream& stream, const Built& built, const Points& points) {
    const HostTree tree(stream, built.tree);
    std::vector<std::uint32_t> found;
    Box everywhere{vec3(-kInfinity), vec3(kInfinity)};
    walk(tree.nodes, tree.points, 0, everywhere, 0, found);
    ASSERT_EQ(found.size(), points.size());
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i);
    for (std::size_t i = 0; i < points.size(); ++i)
        ASSERT_EQ(tree.points[i].position, points[tree.points[i].index]);
}

Box bounds_of_points(const Points& points) {
    Box box;
    for (vec3 p : points) box.extend(p);
    return box;
}

/// Checks the splits of a small node's subtree against all planes through its points. The cost is
/// that of a search that visits a child in proportion to its volume, grown by `margin`.
void expect_least_cost(const HostTree& tree, std::uint32_t at, const Box& cell, double margin) {
#if defined(__CUDACC__)
    constexpr double kNodeCost = 16;
#else
    constexpr double kNodeCost = 4;
#endif
    auto volume = [&](const Box& box) {
        glm::dvec3 size = glm::dvec3(box.hi - box.lo) + margin;
        return size.x * size.y * size.z;
    };
    Points points = tree.below(at);
    auto cost = [&](int axis, float plane, std::size_t n_left) {
        Box left = cell, right = cell;
        left.hi[axis] = right.lo[axis] = plane;
        return double(n_left) * volume(left) + double(points.size() - n_left) * volume(right);
    };
    double least = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
        for (vec3 p : points) {
            auto n_left = std::size_t(
                std::ranges::count_if(points, [&](vec3 q) { return q[axis] < p[axis]; }));
            if (n_left > 0) least = std::min(least, cost(axis, p[axis], n_left));
        }
    PointNode node = tree.nodes[at];
    double unsplit = double(points.size()) * volume(cell), split = kNodeCost * volume(cell) + least;
    constexpr double kRounding = 1e-5;
    if (node.is_leaf()) {
        EXPECT_GE(split, unsplit * (1 - kRounding)) << points.size() << " points of a leaf";
        return;
    }
    EXPECT_LE(split, unsplit * (1 + kRounding));
    EXPECT_LE(cost(node.axis(), node.plane(), tree.below(at + 1).size()), least * (1 + kRounding));
    Box left = cell, right = cell;
    left.hi[node.axis()] = right.lo[node.axis()] = node.plane();
    expect_least_cost(tree, at + 1, left, margin);
    expect_least_cost(tree, node.right(), right, margin);
}

std::size_t n_leaves(const std::vector<PointNode>& nodes, std::uint32_t at) {
    if (nodes[at].is_leaf()) return 1;
    return n_leaves(nodes, at + 1) + n_leaves(nodes, nodes[at].right());
}

void expect_nearest(Stream& stream, const Built& built, const Points& points, const Points& places,
                    int k, float radius = kInfinity) {
    auto sorted = by_brute_force(stream, points, places);
    DeviceArray<vec3> from(stream, std::span<const vec3>(places));
    auto n = places.size() * static_cast<std::size_t>(k);
    DeviceArray<std::uint32_t> indices(stream, n);
    DeviceArray<float> squares(stream, n), farthest(stream, places.size());
    find_nearest(stream, built.tree.view(), from.view(), k, radius,
                 {indices.view(), squares.view(), farthest.view()});
    auto found = indices.download(stream);
    auto distances = squares.download(stream), worst = farthest.download(stream);
    for (std::size_t q = 0; q < places.size(); ++q) {
        auto& expected = sorted[q];
        std::erase_if(expected, [&](float square) { return !(square < radius * radius); });
        expected.resize(std::min(expected.size(), static_cast<std::size_t>(k)));
        std::vector<float> seen;
        std::vector<std::uint32_t> own;
        for (std::size_t i = q * std::size_t(k); i < (q + 1) * std::size_t(k); ++i)
            if (found[i] != ~0u) {
                own.push_back(found[i]);
                seen.push_back(distances[i]);
                ASSERT_LT(found[i], points.size());
                vec3 d = places[q] - points[found[i]];
                EXPECT_NEAR(glm::dot(d, d), distances[i], 1e-6f * distances[i]);
            }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(seen, expected) << "k " << k << ", place " << q << ", n " << points.size();
        std::sort(own.begin(), own.end());
        EXPECT_EQ(std::unique(own.begin(), own.end()), own.end());
        bool full = expected.size() == static_cast<std::size_t>(k);
        EXPECT_EQ(worst[q], full ? expected.back() : radius * radius);
    }
}

/// Query points among the points, on some of them, and far away.
Points places_for(const Points& points) {
    Points places = points_of("cube", 20, 7);
    for (std::size_t i = 0; i < 12 && i < points.size(); ++i)
        places.push_back(points[i * points.size() / 12]);
    places.emplace_back(1e4f, -2e4f, 3e4f);
    places.emplace_back(0, 0, 1e18f);
    return places;
}

const char* const kKinds[] = {"cube", "clusters", "line", "plane", "one place", "grid"};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PointTree, EveryPointIsInOneLeafOnItsSideOfAllPlanes) {
    for (auto* kind : kKinds)
        for (std::size_t n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 20011}) {
            SCOPED_TRACE(std::string(kind) + ", " + std::to_string(n));
            Points points = points_of(kind, n);
            expect_whole(stream, Built(stream, scratch, points), points);
        }
}

TL_DEVICE_TEST(PointTree, LargeNodesAreHalvedAcrossTheirLongestSide) {
    for (auto* kind : {"cube", "clusters"}) {
        Points points = points_of(kind, 1000);
        for (vec3& p : points) p *= vec3(1, 2, 3);
        Built built(stream, scratch, points);
        const HostTree tree(stream, built.tree);
        // In a tree of a thousand points, all nodes of the first levels are large.
        std::vector<std::uint32_t> level{0};
        for (int depth = 0; depth < 4; ++depth) {
            std::vector<std::uint32_t> next;
            for (std::uint32_t at : level) {
                PointNode node = tree.nodes[at];
                ASSERT_FALSE(node.is_leaf());
                Box box = bounds_of_points(tree.below(at));
                vec3 size = box.hi - box.lo;
                EXPECT_EQ(size[node.axis()], std::max({size.x, size.y, size.z}));
                auto left = std::ptrdiff_t(tree.below(at + 1).size()),
                     right = std::ptrdiff_t(tree.below(node.right()).size());
                EXPECT_LE(std::abs(left - right), 1);
                next.push_back(at + 1);
                next.push_back(node.right());
            }
            level = next;
        }
    }
}

TL_DEVICE_TEST(PointTree, SmallNodesAreSplitWhereSearchesCostLeast) {
    for (auto* kind : {"cube", "clusters"})
        for (unsigned seed = 1; seed < 20; ++seed) {
            SCOPED_TRACE(std::string(kind) + ", seed " + std::to_string(seed));
            Points points = points_of(kind, 13 + seed, seed);
            Built built(stream, scratch, points);
            const HostTree tree(stream, built.tree);
            Box box = bounds_of_points(points);
            vec3 size = box.hi - box.lo;
            expect_least_cost(tree, 0, box, double(std::max({size.x, size.y, size.z})));
        }
}

TL_DEVICE_TEST(PointTree, HoldsAsManyPointsAsTheDeviceSaysThereAre) {
    for (std::size_t n : {0, 1, 33, 1000}) {
        Points points = points_of("cube", n);
        Built built(stream, scratch, points, 5000);
        expect_whole(stream, built, points);
        EXPECT_LE(n_leaves(HostTree(stream, built.tree).nodes, 0), std::max<std::size_t>(n, 1))
            << "none is empty";
        expect_nearest(stream, built, points, places_for(points), 10);
    }
}

TL_DEVICE_TEST(PointTree, NearestNeighboursAreExact) {
    for (auto* kind : kKinds)
        for (std::size_t n : {0, 1, 2, 7, 8, 9, 31, 33, 65, 1023, 4097}) {
            SCOPED_TRACE(kind);
            Points points = points_of(kind, n);
            Built built(stream, scratch, points);
            for (int k : {1, 8, 10, 50, 128})
                expect_nearest(stream, built, points, places_for(points), k);
        }
    // Counts at which a published builder has failed.
    for (std::size_t n : {90'166, 90'167}) {
        Points points = points_of("clusters", test::kSanitized ? n / 32 : n);
        expect_nearest(stream, Built(stream, scratch, points), points, places_for(points), 50);
    }
}

TL_DEVICE_TEST(PointTree, PlacesOfARunFindWhatEachFindsAlone) {
    TL_LONG_TEST();
    // Many query points are searched in runs that share bounds, few of them one by one.
    constexpr std::size_t kFew = 1000;
    const std::size_t n = test::kSanitized ? 10'000 : 300'000;
    for (auto* kind : {"cube", "one place", "grid"})
        for (bool sorted : {false, true}) {
            Points points = points_of(kind, 5000), places = points_of(kind, n, 9);
            if (sorted)
                std::sort(places.begin(), places.end(), [](vec3 a, vec3 b) { return a.x < b.x; });
            Built built(stream, scratch, points);
            DeviceArray<vec3> from(stream, std::span<const vec3>(places));
            DeviceArray<float> together(stream, n), alone(stream, n);
            find_nearest(stream, built.tree.view(), from.view(), 8, kInfinity,
                         {{}, {}, together.view()});
            for (std::size_t i = 0; i < n; i += kFew)
                find_nearest(stream, built.tree.view(), {from.data() + i, kFew}, 8, kInfinity,
                             {{}, {}, {alone.data() + i, kFew}});
            EXPECT_EQ(together.download(stream), alone.download(stream)) << kind;
        }
}

TL_DEVICE_TEST(PointTree, NoNeighbourIsFartherThanAsked) {
    for (auto* kind : kKinds) {
        Points points = points_of(kind, 3000);
        Built built(stream, scratch, points);
        for (float radius : {0.0f, 0.01f, 0.25f, 5.0f})
            expect_nearest(stream, built, points, places_for(points), 20, radius);
    }
}

TL_DEVICE_TEST(PointTree, CountsThePointsWithinARadius) {
    for (auto* kind : kKinds) {
        Points points = points_of(kind, 3000), places = places_for(points);
        Built built(stream, scratch, points);
        auto sorted = by_brute_force(stream, points, places);
        DeviceArray<vec3> from(stream, std::span<const vec3>(places));
        DeviceArray<std::uint32_t> counts(stream, places.size());
        for (float radius : {0.0f, 0.1f, 1.0f}) {
            count_within(stream, built.tree.view(), from.view(), radius, counts.view());
            auto seen = counts.download(stream);
            for (std::size_t q = 0; q < places.size(); ++q)
                EXPECT_EQ(std::ptrdiff_t(seen[q]),
                          std::lower_bound(sorted[q].begin(), sorted[q].end(), radius * radius) -
                              sorted[q].begin());
        }
    }
}
