// The sRGB table contains the 8-bit levels nearest to the exact formula.
#include <gtest/gtest.h>

#include "renderer/film/srgb8.h"

namespace tl::srgb8_tests {

TEST(Srgb8, IsTheNearestLevel) {
    static const Srgb8Table kTable;
    // In double; floats of the formula are within 1e-4 of a level.
    auto expect_nearest = [](std::uint32_t bits) {
        auto x = std::bit_cast<float>(bits);
        double srgb = x <= 0.0031308f ? 12.92 * x : 1.055 * std::pow(double(x), 1 / 2.4) - 0.055;
        ASSERT_NEAR(kTable.level(x), 255 * srgb, 0.5 + 1e-4) << x;
    };
    EXPECT_EQ(kTable.level(0), 0u);
    EXPECT_EQ(kTable.level(1), 255u);
    EXPECT_EQ(kTable.level(std::bit_cast<float>(1u)), 0u) << "a denormal";
    // Every 97th float from 2^-20 to 1, and those around every step.
    std::uint32_t last = 0, one = std::bit_cast<std::uint32_t>(1.0f);
    for (std::uint32_t bits = std::bit_cast<std::uint32_t>(0x1p-20f); bits <= one; bits += 97) {
        expect_nearest(bits);
        std::uint32_t level = kTable.level(std::bit_cast<float>(bits));
        if (level == last) continue;
        ASSERT_EQ(level, last + 1);
        last = level;
        for (std::uint32_t near = bits - 97; near <= bits; ++near) expect_nearest(near);
    }
    EXPECT_EQ(last, 255u);
}

}  // namespace tl::srgb8_tests
