// Sample points: well distributed in each pair of dimensions, independent between pairs and pixels,
// and identical on both devices.
#include <cmath>

#include "core/device/parallel_for.h"
#include "renderer/shading/sampler.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {

constexpr std::uint64_t kSeed = 0x123456789abcdefull;

/// points[item * n + i] = point i of a pair of an item.
std::vector<vec2> draw(Stream& stream, SamplePattern pattern, std::uint32_t n_items,
                       std::uint32_t n, std::uint32_t pair) {
    DeviceArray<vec2> out(stream, std::size_t(n_items) * n);
    auto view = out.view();
    parallel_for(
        stream, "draw", n_items, TL_LAMBDA(std::uint32_t item) {
            SamplePair points(pattern, kSeed, item, pair);
            for (std::uint32_t i = 0; i < n; ++i) view[item * n + i] = points.point(i);
        });
    return out.download(stream);
}

/// Whether every cell of every grid of `n` = 2^k cells contains one of the n points.
bool one_in_each_cell(const vec2* points, std::uint32_t n) {
    for (std::uint32_t columns = 1; columns <= n; columns *= 2) {
        std::vector<int> count(n);
        std::uint32_t rows = n / columns;
        for (std::uint32_t i = 0; i < n; ++i) {
            auto x = static_cast<std::uint32_t>(points[i].x * static_cast<float>(columns));
            auto y = static_cast<std::uint32_t>(points[i].y * static_cast<float>(rows));
            if (x >= columns || y >= rows || count[y * columns + x]++) return false;
        }
    }
    return true;
}

/// Mean over items of the squared error of the mean of a smooth function of a pair.
double squared_error(const std::vector<vec2>& points, std::uint32_t n) {
    double sum = 0;
    std::size_t n_items = points.size() / n;
    for (std::size_t item = 0; item < n_items; ++item) {
        double mean = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            vec2 p = points[item * n + i];
            mean += std::exp(double(p.x)) * std::cos(double(p.y)) / n;
        }
        double error = mean - (std::exp(1.0) - 1) * std::sin(1.0);
        sum += error * error;
    }
    return sum / double(n_items);
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Sampler, SecondDimensionIsSobols) {
    // Direction numbers of the polynomial x + 1 (Bratley & Fox 1988).
    for (std::uint32_t i : {0u, 1u, 2u, 3u, 5u, 100u, 12345u, 0x80000000u, 0xffffffffu}) {
        std::uint32_t expected = 0, v = 1u << 31;
        for (std::uint32_t bits = i; bits; bits >>= 1, v ^= v >> 1)
            if (bits & 1) expected ^= v;
        EXPECT_EQ(reverse_bits(sobol_second_reversed(i)), expected) << i;
    }
}

TL_DEVICE_TEST(Sampler, EveryAlignedBlockOfAPowerOfTwoFillsEveryGrid) {
    constexpr std::uint32_t kItems = 50, kPoints = 256;
    for (std::uint32_t pair : {0u, 1u, 7u}) {
        auto points = draw(stream, SamplePattern::sobol, kItems, kPoints, pair);
        for (std::uint32_t item = 0; item < kItems; ++item)
            for (std::uint32_t size = 2; size <= kPoints; size *= 2)
                for (std::uint32_t first = 0; first < kPoints; first += size)
                    ASSERT_TRUE(one_in_each_cell(&points[item * kPoints + first], size))
                        << "item " << item << " pair " << pair << " block " << first << "+" << size;
    }
}

TL_DEVICE_TEST(Sampler, PairsAndItemsKnowNothingOfEachOther) {
    constexpr std::uint32_t kItems = 4000, kPoints = 16;
    for (auto pattern : {SamplePattern::sobol, SamplePattern::random}) {
        auto a = draw(stream, pattern, kItems, kPoints, 0);
        auto b = draw(stream, pattern, kItems, kPoints, 1);
        double pairs[4] = {}, neighbours = 0, mean = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            vec2 p = a[i] - 0.5f, q = b[i] - 0.5f;
            double products[4] = {double(p.x * q.x), double(p.x * q.y), double(p.y * q.x),
                                  double(p.y * q.y)};
            for (int k = 0; k < 4; ++k) pairs[k] += products[k];
            neighbours += double(p.x * (a[(i + kPoints) % a.size()].x - 0.5f));
            mean += double(p.x);
        }
        // For independent points the standard deviation is sqrt(n) / 12.
        double most = 4 * std::sqrt(double(a.size())) / 12;
        for (double sum : pairs) EXPECT_LT(std::abs(sum), most);
        EXPECT_LT(std::abs(neighbours), most);
        EXPECT_LT(std::abs(mean), 4 * std::sqrt(double(a.size()) / 12));
    }
}

TL_DEVICE_TEST(Sampler, SmoothIntegralsConvergeFasterThanWithRandomNumbers) {
    constexpr std::uint32_t kItems = 500;
    auto error = [&](SamplePattern pattern, std::uint32_t n) {
        return squared_error(draw(stream, pattern, kItems, n, 3), n);
    };
    double random = error(SamplePattern::random, 64);
    EXPECT_LT(error(SamplePattern::sobol, 64), random / 300);
    // The error falls as 1/n for random and as 1/n^3, up to a logarithm, for scrambled points.
    EXPECT_NEAR(random / error(SamplePattern::random, 256), 4, 1);
    EXPECT_GT(error(SamplePattern::sobol, 64) / error(SamplePattern::sobol, 256), 30);
}

TL_DEVICE_TEST(Sampler, PointsAreTheSameOnTheHostAndTheDevice) {
    for (auto pattern : {SamplePattern::sobol, SamplePattern::random}) {
        auto points = draw(stream, pattern, 100, 20, 5);
        for (std::uint32_t item = 0; item < 100; ++item)
            for (std::uint32_t i = 0; i < 20; ++i)
                ASSERT_EQ(points[item * 20 + i], SamplePair(pattern, kSeed, item, 5).point(i));
    }
}
