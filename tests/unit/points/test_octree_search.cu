// Searches in octrees against those in point trees, which are tested against brute force.
#include <algorithm>

#include "accel/octree/octree_search.h"
#include "accel/points/find_nearest.h"
#include "tests/device_test.h"
#include "tests/unit/points/octree_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// The same points in both trees.
struct BothTrees {
    Octree octree;
    PointTree points;

    BothTrees(Stream& stream, Scratch& scratch, const test::Surfels& surfels) {
        DeviceArray<Surfel> all(stream, std::span<const Surfel>(surfels));
        StageTimer timer(stream);
        timer.enable(false);
        auto builder = make_octree_builder("modern", stream.device());
        builder->build(scratch, all.view(), {}, octree, timer);
        std::vector<vec3> places;
        for (auto& surfel : surfels) places.push_back(surfel.position);
        DeviceArray<vec3> positions(stream, std::span<const vec3>(places));
        auto n = static_cast<std::uint32_t>(places.size());
        DeviceArray<std::uint32_t> count(stream, std::span<const std::uint32_t>(&n, 1));
        points.build(scratch, positions.view(), count.data());
        stream.synchronize();
    }
    /// The positions in the octree's order.
    [[nodiscard]] std::vector<vec3> along_curve(Stream& stream) {
        auto view = octree.view();
        test::Surfels surfels(points.view().points.size);
        stream.device().download(stream, surfels.data(), view.points.data,
                                 surfels.size() * sizeof(Surfel));
        std::vector<vec3> positions;
        for (auto& surfel : surfels) positions.push_back(surfel.position);
        return positions;
    }
};

/// Query points among the points, on some of them, and far away.
std::vector<vec3> places_for(const test::Surfels& surfels) {
    std::vector<vec3> places{{0, 0, 1e17f}, {1e4f, -2e4f, 3e4f}};
    for (auto& surfel : test::surfels_of("cube", 40, 7)) places.push_back(surfel.position);
    for (std::size_t i = 0; i < surfels.size(); i += surfels.size() / 20 + 1)
        places.push_back(surfels[i].position);
    return places;
}

struct Found {
    std::vector<std::uint32_t> indices;
    std::vector<float> squares, farthest;
};

template <class Tree>
Found nearest(Stream& stream, const Tree& tree, const std::vector<vec3>& places, int k,
              float radius) {
    DeviceArray<vec3> from(stream, std::span<const vec3>(places));
    std::size_t n = places.size() * std::size_t(k);
    DeviceArray<std::uint32_t> indices(stream, n);
    DeviceArray<float> squares(stream, n), farthest(stream, places.size());
    find_nearest(stream, tree, from.view(), k, radius,
                 {indices.view(), squares.view(), farthest.view()});
    Found found{indices.download(stream), squares.download(stream), farthest.download(stream)};
    for (std::size_t q = 0; q < places.size(); ++q)
        std::sort(found.squares.begin() + std::ptrdiff_t(q * std::size_t(k)),
                  found.squares.begin() + std::ptrdiff_t((q + 1) * std::size_t(k)));
    return found;
}

/// The points that were found are all different, and lie where the distances say.
void expect_indices_of_squares(const test::Surfels& surfels, const std::vector<vec3>& places, int k,
                               const Found& found) {
    for (std::size_t q = 0; q < places.size(); ++q) {
        std::vector<std::uint32_t> indices;
        std::vector<float> squares;
        for (std::size_t i = q * std::size_t(k); i < (q + 1) * std::size_t(k); ++i) {
            if (found.indices[i] == ~0u) continue;
            indices.push_back(found.indices[i]);
            vec3 offset = places[q] - surfels[found.indices[i]].position;
            squares.push_back(glm::dot(offset, offset));
        }
        std::sort(squares.begin(), squares.end());
        for (std::size_t i = 0; i < squares.size(); ++i)
            ASSERT_NEAR(squares[i], found.squares[q * std::size_t(k) + i], 1e-6f * squares[i]);
        std::sort(indices.begin(), indices.end());
        ASSERT_EQ(std::unique(indices.begin(), indices.end()), indices.end());
    }
}

const char* const kFiniteKinds[] = {"cube", "sphere", "clusters", "line", "grid", "one place"};

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(OctreeSearch, FindsTheNearestPoints) {
    for (auto* kind : kFiniteKinds)
        for (std::size_t n : {0, 1, 9, 1000, 5003}) {
            test::Surfels surfels = test::surfels_of(kind, n);
            BothTrees trees(stream, scratch, surfels);
            auto places = places_for(surfels);
            for (int k : {1, 8, 50})
                for (float radius : {kInfinity, 0.3f}) {
                    SCOPED_TRACE(std::string(kind) + ", n " + std::to_string(n) + ", k " +
                                 std::to_string(k));
                    auto found = nearest(stream, trees.octree.view(), places, k, radius);
                    auto by_windows =
                        nearest(stream, CurveWindows{trees.octree.view()}, places, k, radius);
                    auto expected = nearest(stream, trees.points.view(), places, k, radius);
                    EXPECT_EQ(found.squares, expected.squares);
                    EXPECT_EQ(found.farthest, expected.farthest);
                    EXPECT_EQ(by_windows.squares, expected.squares);
                    EXPECT_EQ(by_windows.farthest, expected.farthest);
                    for (std::size_t i = 0; i < found.indices.size(); ++i) {
                        if (found.indices[i] == ~0u) continue;
                        ASSERT_LT(found.indices[i], n);
                    }
                }
        }
}

TL_DEVICE_TEST(OctreeSearch, FindsTheNearestOfManyPlacesInAnyOrder) {
    for (auto* kind : {"cube", "sphere", "clusters"}) {
        test::Surfels surfels = test::surfels_of(kind, 9001);
        BothTrees trees(stream, scratch, surfels);
        // Queries the points themselves: first in the order of the curve, then as they were given.
        std::vector<vec3> along = trees.along_curve(stream), as_given;
        for (auto& surfel : surfels) as_given.push_back(surfel.position);
        along[100] = vec3(std::numeric_limits<float>::quiet_NaN());  // among others
        for (auto& places : {along, as_given})
            for (int k : {1, 5, 8, 13, 16}) {
                SCOPED_TRACE(std::string(kind) + ", k " + std::to_string(k));
                auto found = nearest(stream, trees.octree.view(), places, k, 10.0f);
                auto expected = nearest(stream, trees.points.view(), places, k, 10.0f);
                EXPECT_EQ(found.squares, expected.squares);
                EXPECT_EQ(found.farthest, expected.farthest);
                expect_indices_of_squares(surfels, places, k, found);
                auto by_windows =
                    nearest(stream, CurveWindows{trees.octree.view()}, places, k, 10.0f);
                EXPECT_EQ(by_windows.squares, expected.squares);
                expect_indices_of_squares(surfels, places, k, by_windows);
            }
    }
}

TL_DEVICE_TEST(OctreeSearch, CountsThePointsWithinARadius) {
    for (auto* kind : kFiniteKinds) {
        test::Surfels surfels = test::surfels_of(kind, 5003);
        BothTrees trees(stream, scratch, surfels);
        auto places = places_for(surfels);
        DeviceArray<vec3> from(stream, std::span<const vec3>(places));
        DeviceArray<std::uint32_t> found(stream, places.size()), expected(stream, places.size());
        for (float radius : {0.0f, 0.01f, 0.5f}) {
            count_within(stream, trees.octree.view(), from.view(), radius, found.view());
            count_within(stream, trees.points.view(), from.view(), radius, expected.view());
            EXPECT_EQ(found.download(stream), expected.download(stream)) << kind;
        }
    }
}

TL_DEVICE_TEST(OctreeSearch, LeavesOutPointsThatAreNowhere) {
    test::Surfels surfels = test::surfels_of("nowhere", 1000), somewhere;
    for (auto& surfel : surfels) {
        float most = largest(glm::abs(surfel.position));
        if (most <= 2 && !std::isnan(surfel.position.x + surfel.position.y + surfel.position.z))
            somewhere.push_back(surfel);
    }
    BothTrees trees(stream, scratch, somewhere);
    Octree with_all;
    DeviceArray<Surfel> all(stream, std::span<const Surfel>(surfels));
    StageTimer timer(stream);
    timer.enable(false);
    make_octree_builder("modern", device)->build(scratch, all.view(), {}, with_all, timer);
    auto places = places_for(somewhere);
    EXPECT_EQ(nearest(stream, with_all.view(), places, 8, kInfinity).squares,
              nearest(stream, trees.points.view(), places, 8, kInfinity).squares);
}
