// Pictures of shallow water from above.
#include <gtest/gtest.h>

#include <array>

#include "app/solve/water/water_picture.h"

namespace tl::water_picture_tests {
namespace {

/// Water of one depth whose velocity is the same everywhere.
Water::Host uniform_flow(const Basin& basin, double u, double v) {
    auto nx = static_cast<std::size_t>(basin.nx), ny = static_cast<std::size_t>(basin.ny);
    return {basin.level, std::vector<double>((nx + 1) * ny, u),
            std::vector<double>(nx * (ny + 1), v)};
}

/// Mean position of the black pixels, and their number.
struct Ink {
    glm::dvec2 mean{0};
    int n = 0;
};

Ink ink_of(const Image8& image) {
    Ink ink;
    for (int y = 0; y < image.extent.height; ++y)
        for (int x = 0; x < image.extent.width; ++x) {
            auto* pixel = &image.rgba[4 * static_cast<std::size_t>(x + y * image.extent.width)];
            if (pixel[0] != 0 || pixel[1] != 0 || pixel[2] != 0) continue;
            ink.mean += glm::dvec2(x + 0.5, y + 0.5);
            ++ink.n;
        }
    if (ink.n > 0) ink.mean /= ink.n;
    return ink;
}

}  // namespace

TEST(WaterPicture, ArrowsPointWhereTheWaterGoes) {
    Basin basin;
    basin.resize(25, 25, 1, 2);
    constexpr glm::dvec2 kWays[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (glm::dvec2 way : kWays) {
        auto image = picture_of_water(basin, uniform_flow(basin, 3 * way.x, 3 * way.y), {25});
        ASSERT_EQ(image.extent.width, 25);
        auto ink = ink_of(image);
        // A shaft of 25 pixels, and a head at its end, which is above the middle for v > 0.
        EXPECT_GT(ink.n, 30);
        glm::dvec2 off = ink.mean - glm::dvec2(12.5);
        EXPECT_GT(off.x * way.x - off.y * way.y, 1.5);
        EXPECT_LT(std::abs(off.x * way.y) + std::abs(off.y * way.x), 0.6);
    }
}

TEST(WaterPicture, ArrowsHaveRoomAndOnlyWaterHasThem) {
    Basin basin;
    basin.resize(8, 6, 1, 2);
    auto flow = uniform_flow(basin, 1, 0);
    auto plain = picture_of_water(basin, flow), drawn = picture_of_water(basin, flow, {4});
    EXPECT_EQ(plain.extent.width, 8);
    EXPECT_EQ(ink_of(plain).n, 0);
    EXPECT_EQ(drawn.extent.width, 3 * 8);
    EXPECT_EQ(drawn.extent.height, 3 * 6);
    EXPECT_GT(ink_of(drawn).n, 0);
    EXPECT_EQ(ink_of(picture_of_water(basin, uniform_flow(basin, 0, 0), {4})).n, 0);
    basin.bed = basin.level;  // dry
    EXPECT_EQ(ink_of(picture_of_water(basin, flow, {4})).n, 0);
}

TEST(WaterPicture, LargeBasinsAreEnlargedLess) {
    Basin basin;
    for (auto [nx, ny, scale] : {std::array{600, 2, 12}, {2, 1000, 8}, {9000, 2, 1}}) {
        basin.resize(nx, ny, 1, 2);
        auto image = picture_of_water(basin, uniform_flow(basin, 1, 0), {1});
        EXPECT_EQ(image.extent.width, scale * nx);
        EXPECT_EQ(image.extent.height, scale * ny);
    }
}

}  // namespace tl::water_picture_tests
