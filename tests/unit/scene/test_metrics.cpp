// Errors between pictures: exact values where the definition gives them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "renderer/images/metrics.h"

namespace tl::metrics_tests {
namespace {

constexpr Extent kExtent{40, 30};

Image8 uniform(int r, int g, int b) {
    Image8 image{kExtent, {}};
    for (int i = 0; i < kExtent.pixels(); ++i)
        for (int c : {r, g, b, 255}) image.rgba.push_back(static_cast<std::uint8_t>(c));
    return image;
}

ImageF uniform_radiance(vec3 rgb) {
    return {kExtent, std::vector<vec3>(std::size_t(kExtent.pixels()), rgb)};
}

/// Left half of one colour, right half of another.
Image8 edge_at(Image8 left, const Image8& right, int column) {
    for (int y = 0; y < kExtent.height; ++y)
        for (int x = column; x < kExtent.width; ++x)
            for (int c = 0; c < 4; ++c) {
                auto i = std::size_t((y * kExtent.width + x) * 4 + c);
                left.rgba[i] = right.rgba[i];
            }
    return left;
}

TEST(Flip, IsZeroForEqualPictures) {
    auto picture = edge_at(uniform(200, 30, 10), uniform(0, 90, 255), 17);
    for (float error : flip_errors(picture, picture).values) ASSERT_EQ(error, 0);
    auto bright = linear_of(picture);
    for (vec3& rgb : bright.rgb) rgb *= 300.0f;
    for (float error : flip_errors(bright, bright).values) ASSERT_EQ(error, 0);
}

TEST(Flip, IsOneBetweenTheColoursThatItTakesAsFarthestApart) {
    for (float error : flip_errors(uniform(0, 255, 0), uniform(0, 0, 255)).values)
        ASSERT_NEAR(error, 1, 1e-3f);
}

TEST(Flip, OfBlackAndWhiteFollowsFromTheirLightness) {
    // HyAB is 100, to the power 0.7, mapped by the two straight lines of the paper; (203.0)^0.7 is
    // the largest, between green and blue with Hunt's correction.
    auto error = [](double distance, double most) {
        double p = std::pow(distance, 0.7), top = std::pow(most, 0.7), knee = 0.4 * top;
        return p < knee ? 0.95 / knee * p : 0.95 + (p - knee) / (top - knee) * 0.05;
    };
    // L*a*b* of the primaries: green 87.735, -86.183, 83.180; blue 32.297, 79.188, -107.860.
    double da = -86.183 * 0.87735 - 79.188 * 0.32297, db = 83.180 * 0.87735 + 107.860 * 0.32297;
    double most = 87.735 - 32.297 + std::hypot(da, db);
    double expected = error(100, most);
    for (float value : flip_errors(uniform(0, 0, 0), uniform(255, 255, 255)).values)
        ASSERT_NEAR(double(value), expected, 2e-3);
}

TEST(Flip, RaisesErrorsAtEdgesThatOnePictureLacks) {
    auto flat = uniform(120, 120, 120);
    auto edged = edge_at(flat, uniform(135, 135, 135), 20);
    auto map = flip_errors(flat, edged);
    auto at = [&](int x) { return map.values[std::size_t(15 * kExtent.width + x)]; };
    EXPECT_EQ(at(2), 0);
    EXPECT_GT(std::max({at(20), at(21), at(22)}), 1.1f * at(38));
}

TEST(Flip, IsTheSameBothWaysAndHasNoDirection) {
    auto a = edge_at(uniform(50, 200, 80), uniform(220, 20, 60), 11);
    auto b = edge_at(uniform(60, 190, 80), uniform(200, 40, 90), 13);
    auto there = flip_errors(a, b), back = flip_errors(b, a);
    for (std::size_t i = 0; i < there.values.size(); ++i)
        ASSERT_FLOAT_EQ(there.values[i], back.values[i]);
}

TEST(Flip, OfRadianceDoesNotDependOnTheUnit) {
    auto reference = linear_of(edge_at(uniform(90, 200, 80), uniform(250, 20, 60), 11));
    auto test = linear_of(edge_at(uniform(90, 180, 80), uniform(250, 60, 60), 11));
    double before = flip_errors(reference, test).mean();
    EXPECT_GT(before, 0.01);
    for (auto* image : {&reference, &test})
        for (vec3& rgb : image->rgb) rgb *= 64.0f;
    EXPECT_NEAR(flip_errors(reference, test).mean(), before, 1e-4);
}

TEST(Metrics, SquaredErrorsAreThoseOfTheDefinition) {
    auto a = uniform_radiance({1, 2, 0}), b = uniform_radiance({1.5f, 1, 0.5f});
    EXPECT_NEAR(mean_squared_error(a, b), (0.25 + 1 + 0.25) / 3, 1e-9);
    EXPECT_NEAR(relative_squared_errors(a, b).mean(), (0.25 / 1.01 + 1 / 4.01 + 0.25 / 0.01) / 3,
                1e-5);
    EXPECT_TRUE(std::isinf(peak_signal_to_noise(a, a)));
    // Display white and black are 1 apart.
    EXPECT_NEAR(peak_signal_to_noise(uniform_radiance(vec3(0)), uniform_radiance(vec3(9))), 0,
                1e-6);
}

}  // namespace
}  // namespace tl::metrics_tests
