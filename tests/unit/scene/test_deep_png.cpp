// PNG files of 16 bits: all of them reach textures, mip maps and height maps.
#include <cmath>

#include "renderer/images/image_io.h"
#include "renderer/images/metrics.h"
#include "renderer/images/png_io.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/live/mip_maps.h"
#include "renderer/scene/loaders/texture_files.h"
#include "tests/unit/temp_folder.h"

namespace tl::deep_png_tests {
namespace {

using test::TempFolder;

std::string big_endian(std::uint32_t value, int n_bytes) {
    std::string bytes;
    while (n_bytes-- > 0) bytes += static_cast<char>(value >> (8 * n_bytes));
    return bytes;
}

/// A chunk of a PNG with zeros for its checksum, which the reader does not check.
std::string chunk(const std::string& kind, const std::string& data) {
    return big_endian(static_cast<std::uint32_t>(data.size()), 4) + kind + data +
           std::string(4, '\0');
}

/// A PNG of one row of 16-bit values, not compressed.
std::string png_of(int color_type, int width, const std::vector<int>& values,
                   const std::string& other_chunks = "") {
    std::string row(1, '\0');
    for (int value : values) row += big_endian(static_cast<std::uint32_t>(value), 2);
    auto size = static_cast<std::uint16_t>(row.size());
    auto little = [](std::uint16_t n) {
        return std::string{static_cast<char>(n), static_cast<char>(n >> 8)};
    };
    std::string stored = std::string("\x78\x01\x01", 3) + little(size) +
                         little(static_cast<std::uint16_t>(~size)) + row + std::string(4, '\0');
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", big_endian(static_cast<std::uint32_t>(width), 4) + big_endian(1, 4) +
                             std::string{16, static_cast<char>(color_type), 0, 0, 0}) +
           other_chunks + chunk("IDAT", stored) + chunk("IEND", "");
}

/// All values of an image in 16 bits.
std::vector<int> values_of(const Image16& image) {
    std::vector<int> values;
    for (std::size_t i = 0; i < image.rgba.size(); ++i)
        values.push_back(static_cast<int>(std::lround(image.value(i) * 65535)));
    return values;
}

using Values = std::vector<int>;
constexpr int kGrey = 0, kRgb = 2, kGreyAlpha = 4, kRgba = 6;

/// The texture of one row of linear grey values.
Texture row_of(const Values& greys) {
    Scene scene;
    (void)add_texture(scene, "row",
                      decode_image16("row", png_of(kGrey, static_cast<int>(greys.size()), greys)),
                      {.is_srgb = false});
    return scene.textures[0];
}

}  // namespace

TEST(DeepPng, EveryKindOfColorKeepsSixteenBits) {
    auto read = [](const std::string& bytes) { return values_of(decode_image16("a.png", bytes)); };
    EXPECT_EQ(read(png_of(kGrey, 2, {513, 40001})),
              (Values{513, 513, 513, 65535, 40001, 40001, 40001, 65535}));
    EXPECT_EQ(read(png_of(kGreyAlpha, 1, {513, 7})), (Values{513, 513, 513, 7}));
    EXPECT_EQ(read(png_of(kRgb, 1, {1, 256, 65534})), (Values{1, 256, 65534, 65535}));
    EXPECT_EQ(read(png_of(kRgba, 1, {1, 256, 65534, 32768})), (Values{1, 256, 65534, 32768}));
    // A value that is transparent, of which a neighbour in the lower byte is not.
    EXPECT_EQ(read(png_of(kGrey, 2, {513, 512}, chunk("tRNS", big_endian(513, 2)))),
              (Values{513, 513, 513, 0, 512, 512, 512, 65535}));
}

TEST(DeepPng, ReadersOfEightBitsRoundThem) {
    auto image = decode_image8("a.png", png_of(kRgba, 1, {128, 129, 10409, 65535}));
    EXPECT_EQ(image.rgba, (std::vector<std::uint8_t>{0, 1, 41, 255}));
}

TEST(DeepPng, EncodingKeepsEveryValue) {
    for (bool opaque : {true, false}) {
        Image16 image;
        image.extent = {7, 5};
        for (int i = 0; i < 4 * image.extent.pixels(); ++i) {
            bool is_full = opaque && i % 4 == 3;
            image.rgba.push_back(static_cast<std::uint8_t>(is_full ? 255 : i * 29));
            image.lower.push_back(static_cast<std::uint8_t>(is_full ? 255 : i * 53 + 7));
        }
        auto back = decode_image16("a.png", encode_png(image));
        EXPECT_EQ(back.extent, image.extent);
        EXPECT_EQ(back.rgba, image.rgba);
        EXPECT_EQ(back.lower, image.lower);
    }
}

TEST(DeepPng, TexelsHaveAllBitsOfTheFile) {
    Values greys{0, 1, 255, 257, 32767, 40001, 65535};
    auto texture = row_of(greys);
    auto map = make_mip_map(texture, false);
    for (std::size_t i = 0; i < greys.size(); ++i) EXPECT_EQ(map.texels[i].r, greys[i]);
    texture.is_srgb = true;
    map = make_mip_map(texture, false);
    for (std::size_t i = 0; i < greys.size(); ++i)
        EXPECT_EQ(map.texels[i].g,
                  std::lround(65535 * linear_from_srgb(static_cast<float>(greys[i]) / 65535)));
}

TEST(DeepPng, TheMiddleOfNormalMapsIsExactlyStraight) {
    // Values of 8 and of 16 bits: -1, 0 and 1, as renderers write them, and steps about 0.
    auto map = make_mip_map(row_of({1, 32768, 65535, 32769, 32767}), false, true);
    auto normal = [&](std::size_t i) { return (map.texels[i].r / 257.0 - 128) / 127; };
    constexpr double kStep = 0.5 / 257 / 127;  // rounding to the texel's 16 bits
    EXPECT_NEAR(normal(0), -1, kStep);
    EXPECT_EQ(normal(1), 0);
    EXPECT_EQ(normal(2), 1);
    EXPECT_NEAR(normal(3), 1.0 / 32767, kStep);
    EXPECT_NEAR(normal(4), -1.0 / 32767, kStep);
    Texture bytes{"bytes", 1, 1, {128, 128, 255, 255}, false};
    EXPECT_EQ(make_mip_map(bytes, false, true).texels[0].r, 128 * 257);
}

TEST(DeepPng, BrightnessOfMasksKeepsSixteenBits) {
    Scene scene;
    (void)add_texture(scene, "mask", decode_image16("mask", png_of(kRgb, 1, {300, 301, 305})),
                      {.is_srgb = false, .is_mask = true});
    EXPECT_EQ(make_mip_map(scene.textures[0], true).texels[0].a, 302);
}

TEST(DeepPng, ComparisonsSeeTheLowerBits) {
    auto a = decode_image16("a.png", png_of(kGrey, 1, {20000}));
    auto b = decode_image16("b.png", png_of(kGrey, 1, {20001}));
    double error = mean_squared_error(linear_of(a), linear_of(b));
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 1.0 / 65535 / 65535);
}

}  // namespace tl::deep_png_tests
