// Hash tables over points against exact neighbours: results are right, no result occurs twice, and
// few are missed.
#include <algorithm>

#include "accel/points/point_grid.h"
#include "tests/device_test.h"
#include "tests/unit/points/octree_cases.h"

namespace tl::TL_DEVICE_NAME {
namespace {

std::vector<vec3> positions_of(const char* kind, std::size_t n) {
    std::vector<vec3> positions;
    for (auto& surfel : test::surfels_of(kind, n)) positions.push_back(surfel.position);
    return positions;
}

/// Squares of all distances below `radius` from a query point to the points, ascending.
std::vector<float> squares_within(const std::vector<vec3>& points, vec3 place, float radius) {
    std::vector<float> squares;
    for (vec3 point : points) {
        vec3 offset = place - point;
        float square = glm::dot(offset, offset);
        if (square < radius * radius) squares.push_back(square);
    }
    std::ranges::sort(squares);
    return squares;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PointHash, FindsMostOfTheNearestAndNothingTwice) {
    constexpr std::size_t kPoints = 4000, kPlaces = 500;
    constexpr int kNearest = 8;
    for (auto* kind : {"cube", "sphere"}) {
        auto points = positions_of(kind, kPoints);
        std::vector<vec3> places(points.begin(), points.begin() + kPlaces);
        DeviceArray<vec3> on_device(stream, std::span<const vec3>(points));
        DeviceArray<vec3> from(stream, std::span<const vec3>(places));
        // Three times the distance within which eight lie on average: in a cube of 8 m^3, or on a
        // sphere of 113 m^2.
        const float width = 3 * (kind == std::string("cube") ? 0.156f : 0.27f);
        double shares[2];
        for (int n_tables : {1, 6}) {
            PointHash hash;
            hash.build(scratch, on_device.view(), width, n_tables);
            DeviceArray<std::uint32_t> indices(stream, kPlaces * kNearest);
            DeviceArray<float> squares(stream, kPlaces * kNearest);
            find_nearest(stream, hash.view(), from.view(), kNearest, kInfinity,
                         {indices.view(), squares.view(), {}});
            auto found = indices.download(stream);
            auto distances = squares.download(stream);
            std::size_t n_right = 0;
            for (std::size_t q = 0; q < kPlaces; ++q) {
                auto exact = squares_within(points, places[q], 10);
                std::vector<std::uint32_t> own;
                for (std::size_t i = q * kNearest; i < (q + 1) * kNearest; ++i) {
                    if (found[i] == ~0u) continue;
                    own.push_back(found[i]);
                    ASSERT_LT(found[i], kPoints);
                    vec3 offset = places[q] - points[found[i]];
                    EXPECT_NEAR(distances[i], glm::dot(offset, offset), 1e-6f);
                    n_right += distances[i] <= exact[kNearest - 1];
                }
                std::ranges::sort(own);
                EXPECT_EQ(std::ranges::unique(own).size(), 0u) << kind << q;
            }
            shares[n_tables > 1] = double(n_right) / double(kPlaces * kNearest);
        }
        EXPECT_LT(shares[0], 0.8) << kind;
        EXPECT_GT(shares[1], 0.97) << kind;
        EXPECT_GT(shares[1], shares[0]) << kind;
    }
}

TL_DEVICE_TEST(PointHash, CountsAtMostThoseWithinTheRadius) {
    auto points = positions_of("cube", 3000);
    DeviceArray<vec3> on_device(stream, std::span<const vec3>(points));
    PointHash hash;
    constexpr float kRadius = 0.1f;
    hash.build(scratch, on_device.view(), 2 * kRadius, 4);
    DeviceArray<std::uint32_t> counts(stream, points.size());
    count_within(stream, hash.view(), on_device.view(), kRadius, counts.view());
    std::size_t n = 0, n_exact = 0;
    auto found = counts.download(stream);
    for (std::size_t q = 0; q < points.size(); q += 10) {
        auto exact = squares_within(points, points[q], kRadius).size();
        EXPECT_LE(found[q], exact);
        EXPECT_GE(found[q], 1u);  // the point itself is in its own cell
        n += found[q];
        n_exact += exact;
    }
    EXPECT_GT(double(n) / double(n_exact), 0.9);
}

TL_DEVICE_TEST(PointHash, FindsNothingWhereNothingIs) {
    PointHash hash;
    DeviceArray<vec3> places(stream, std::vector<vec3>{vec3(0), vec3(1e20f)});
    for (std::size_t n : {0, 1, 3}) {
        std::vector<vec3> points(n, vec3(0));
        DeviceArray<vec3> on_device(stream, std::span<const vec3>(points));
        hash.build(scratch, on_device.view(), 1, 3);
        DeviceArray<std::uint32_t> indices(stream, 4), counts(stream, 2);
        find_nearest(stream, hash.view(), places.view(), 2, kInfinity, {indices.view(), {}, {}});
        count_within(stream, hash.view(), places.view(), 1, counts.view());
        auto found = indices.download(stream);
        auto n_found = static_cast<std::size_t>(
            std::ranges::count_if(found, [](auto index) { return index != ~0u; }));
        EXPECT_EQ(n_found, std::min<std::size_t>(n, 2));
        EXPECT_EQ(counts.download(stream), (std::vector<std::uint32_t>{std::uint32_t(n), 0}));
    }
}

TL_DEVICE_TEST(PointGrid, FindsTheNearestWhateverTheWidthOfItsCells) {
    for (auto* kind : {"cube", "sphere", "clusters"}) {
        auto points = positions_of(kind, 3000);
        std::vector<vec3> places(points.begin(), points.begin() + 300);
        places.insert(places.end(), {{0, 0, 1e17f}, {40, -3, 2}, {0, 0, 0}});
        DeviceArray<vec3> on_device(stream, std::span<const vec3>(points));
        DeviceArray<vec3> from(stream, std::span<const vec3>(places));
        for (float width : {0.02f, 0.3f, 5.0f})
            for (int k : {1, 8, 40}) {
                PointGrid grid;
                grid.build(scratch, on_device.view(), width);
                std::size_t n = places.size() * std::size_t(k);
                DeviceArray<std::uint32_t> indices(stream, n);
                DeviceArray<float> squares(stream, n);
                find_nearest(stream, grid.view(), from.view(), k, kInfinity,
                             {indices.view(), squares.view(), {}});
                auto found = squares.download(stream);
                auto numbers = indices.download(stream);
                for (std::size_t q = 0; q < places.size(); ++q) {
                    auto exact = squares_within(points, places[q], kInfinity);
                    exact.resize(std::size_t(k));
                    auto first = found.begin() + std::ptrdiff_t(q) * k;
                    std::sort(first, first + k);
                    for (int i = 0; i < k; ++i)
                        ASSERT_NEAR(first[i], exact[std::size_t(i)], 1e-6f * exact[std::size_t(i)])
                            << kind << width << " k " << k << " place " << q;
                    auto own = numbers.begin() + std::ptrdiff_t(q) * k;
                    std::sort(own, own + k);
                    EXPECT_EQ(std::unique(own, own + k), own + k);
                }
            }
    }
}

TL_DEVICE_TEST(PointGrid, CountsThoseWithinTheRadius) {
    auto points = positions_of("cube", 3000);
    DeviceArray<vec3> on_device(stream, std::span<const vec3>(points));
    PointGrid grid;
    grid.build(scratch, on_device.view(), 0.3f);
    for (float radius : {0.1f, 0.3f}) {
        DeviceArray<std::uint32_t> counts(stream, points.size());
        count_within(stream, grid.view(), on_device.view(), radius, counts.view());
        auto found = counts.download(stream);
        for (std::size_t q = 0; q < points.size(); q += 7)
            EXPECT_NEAR(found[q], squares_within(points, points[q], radius).size(), 1);
    }
}
