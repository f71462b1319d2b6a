// Mip maps: sizes, averages in linear space, and colours weighted by alpha.
#include "renderer/scene/live/mip_maps.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tl::mip_maps_tests {
namespace {

/// Values from a fixed sequence that has no pattern.
Texture noise(int width, int height) {
    Texture texture{"noise", width, height, {}};
    std::uint32_t state = 1;
    for (int i = 0; i < 4 * width * height; ++i) {
        state = state * 1664525u + 1013904223u;
        texture.rgba.push_back(static_cast<std::uint8_t>(state >> 24));
    }
    return texture;
}

double mean_red(const MipMap& map, std::size_t level) {
    auto& at = map.levels[level];
    std::size_t n = std::size_t(at.width) * std::size_t(at.height);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += map.texels[at.first_texel + i].r / 65535.0;
    return sum / double(n);
}

TEST(MipMap, LevelsHalveRoundedDownToOneTexel) {
    MipMap map = make_mip_map(noise(13, 4), false);
    std::vector<Extent> sizes;
    for (auto& level : map.levels) sizes.push_back({level.width, level.height});
    EXPECT_EQ(sizes, (std::vector<Extent>{{13, 4}, {6, 2}, {3, 1}, {1, 1}}));
    EXPECT_EQ(map.texels.size(), 13u * 4 + 6 * 2 + 3 + 1);
    EXPECT_EQ(map.texels.size(), mip_map_size(13, 4));
    EXPECT_EQ(make_mip_map(noise(1, 1), false).levels.size(), 1u);
}

TEST(MipMap, EveryLevelHasThePicturesMean) {
    for (auto [width, height] : {std::pair{64, 64}, {37, 91}, {1, 17}, {100, 3}, {255, 254}})
        for (bool is_srgb : {true, false}) {
            Texture texture = noise(width, height);
            texture.is_srgb = is_srgb;
            MipMap map = make_mip_map(texture, false);
            for (std::size_t level = 1; level < map.levels.size(); ++level)
                EXPECT_NEAR(mean_red(map, level), mean_red(map, 0), 1e-4)
                    << width << " x " << height << ", level " << level;
        }
}

TEST(MipMap, AveragesLightAndNotItsCode) {
    Texture checker{
        "checker", 2, 2, {0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255}};
    EXPECT_EQ(make_mip_map(checker, false).texels[4].r, 32768);
    // 188 is half the light of 255.
    Texture gray{"gray", 1, 1, {188, 188, 188, 255}};
    EXPECT_NEAR(make_mip_map(gray, false).texels[0].g / 65535.0, 0.5029, 1e-4);
    gray.is_srgb = false;
    EXPECT_EQ(make_mip_map(gray, false).texels[0].g, 188 * 257);
}

TEST(MipMap, WhatIsCutOutDoesNotColourWhatIsThere) {
    Texture leaf{"leaf", 2, 1, {0, 255, 0, 255, 255, 0, 255, 0}};
    MipMap map = make_mip_map(leaf, true);
    EXPECT_LT(map.texels[2].r, 100);
    EXPECT_GT(map.texels[2].g, 65400);
    EXPECT_NEAR(map.texels[2].a, 32768, 2);
    EXPECT_EQ(map.texels[1].a, 0);
    EXPECT_EQ(map.texels[1].r, 65535);
    // If alpha is not used, it is 1.
    EXPECT_EQ(make_mip_map(leaf, false).texels[1].a, 65535);
}

TEST(MipMap, IsHandedOverInPartsThatCoverItOnce) {
    Texture texture = noise(1024, 700);
    MipMap whole = make_mip_map(texture, true);
    std::vector<Texel> texels(whole.texels.size());
    std::vector<int> times(whole.texels.size());
    std::size_t largest = 0;
    auto levels =
        make_mip_map(texture, true, false, [&](std::size_t first, std::span<const Texel> part) {
            largest = std::max(largest, part.size());
            for (std::size_t i = 0; i < part.size(); ++i) {
                texels.at(first + i) = part[i];
                ++times.at(first + i);
            }
        });
    EXPECT_EQ(levels.size(), whole.levels.size());
    EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; }));
    EXPECT_LT(largest, whole.texels.size() / 3);
    auto same = [](const Texel& a, const Texel& b) {
        return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
    };
    EXPECT_TRUE(std::ranges::equal(texels, whole.texels, same));
}

}  // namespace
}  // namespace tl::mip_maps_tests
