// JPEG files of every kind of colour, whole and damaged.
#include <turbojpeg.h>

#include <cmath>

#include "renderer/images/image_io.h"
#include "tests/unit/temp_folder.h"

namespace tl::jpeg_tests {
namespace {

using test::refusal;

constexpr Extent kExtent{37, 21};  // no whole blocks

/// A smooth picture, four bytes a pixel.
std::vector<std::uint8_t> smooth() {
    std::vector<std::uint8_t> bytes;
    for (int y = 0; y < kExtent.height; ++y)
        for (int x = 0; x < kExtent.width; ++x)
            for (int value : {6 * x, 10 * y, 128 + 3 * x - 5 * y, 40 + 4 * x + 2 * y})
                bytes.push_back(static_cast<std::uint8_t>(value));
    return bytes;
}

std::string encoded(const std::vector<std::uint8_t>& pixels, TJPF format, TJSAMP chroma,
                    int flags = 0) {
    auto coder = tjInitCompress();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    EXPECT_EQ(tjCompress2(coder, pixels.data(), kExtent.width, 0, kExtent.height, format, &bytes,
                          &size, chroma, 95, flags),
              0);
    std::string file(reinterpret_cast<char*>(bytes), size);
    tjFree(bytes);
    tjDestroy(coder);
    return file;
}

/// The mean distance of the channels of two pictures.
double distance(const Image8& image, const std::vector<std::uint8_t>& expected) {
    if (image.rgba.size() != expected.size()) return 1e9;
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        sum += std::abs(int(image.rgba[i]) - int(expected[i]));
    return sum / double(expected.size());
}

std::vector<std::uint8_t> opaque(std::vector<std::uint8_t> rgba) {
    for (std::size_t i = 3; i < rgba.size(); i += 4) rgba[i] = 255;
    return rgba;
}

TEST(Jpeg, ColourGreyAndProgressivePicturesAreDecoded) {
    for (int flags : {0, TJFLAG_PROGRESSIVE})
        for (TJSAMP chroma : {TJSAMP_444, TJSAMP_420}) {
            Image8 image = decode_image8("a.jpg", encoded(smooth(), TJPF_RGBA, chroma, flags));
            EXPECT_EQ(image.extent, kExtent);
            EXPECT_LT(distance(image, opaque(smooth())), chroma == TJSAMP_444 ? 2 : 4);
        }
    Image8 image = decode_image8("a.jpg", encoded(smooth(), TJPF_RGBA, TJSAMP_GRAY));
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        ASSERT_EQ(image.rgba[i], image.rgba[i + 1]);
        ASSERT_EQ(image.rgba[i], image.rgba[i + 2]);
        ASSERT_EQ(image.rgba[i + 3], 255);
    }
}

TEST(Jpeg, InksBecomeColours) {
    auto inks = smooth();
    std::vector<std::uint8_t> expected;
    for (std::size_t i = 0; i < inks.size(); i += 4) {
        for (std::size_t k = 0; k < 3; ++k)
            expected.push_back(static_cast<std::uint8_t>(inks[i + k] * inks[i + 3] / 255));
        expected.push_back(255);
    }
    Image8 image = decode_image8("a.jpg", encoded(inks, TJPF_CMYK, TJSAMP_444));
    EXPECT_LT(distance(image, expected), 3);
}

TEST(Jpeg, WhatIsLeftOfAFileIsShown) {
    std::string bytes = encoded(smooth(), TJPF_RGBA, TJSAMP_444);
    Image8 whole = decode_image8("a.jpg", bytes);
    bytes.erase(bytes.size() - bytes.size() / 4);
    Image8 cut = decode_image8("a.jpg", bytes);
    ASSERT_EQ(cut.extent, kExtent);
    constexpr std::size_t kBlocks = 4 * 24;  // bytes of the first three in a line
    for (std::size_t y = 0; y < 8; ++y)
        for (std::size_t i = 4 * y * kExtent.width; i < 4 * y * kExtent.width + kBlocks; ++i)
            ASSERT_EQ(cut.rgba[i], whole.rgba[i]) << i;
    EXPECT_NE(cut.rgba, whole.rgba);
    EXPECT_TRUE(refusal([&] {
                    (void)decode_image8("a.jpg", bytes.substr(0, 100));
                }).starts_with("a.jpg: cannot be decoded: "));
}

/// A table of more codes than can be distinguished; decoders have written beyond the end of such
/// tables.
TEST(Jpeg, DamagedTablesAreRefused) {
    std::string bytes = encoded(smooth(), TJPF_RGBA, TJSAMP_444);
    auto table = bytes.find("\xff\xc4");
    ASSERT_NE(table, std::string::npos);
    for (std::size_t length = 0; length < 16; ++length) bytes[table + 5 + length] = '\xff';
    EXPECT_TRUE(refusal([&] {
                    (void)decode_image8("a.jpg", bytes);
                }).starts_with("a.jpg: cannot be decoded: "));
}

}  // namespace
}  // namespace tl::jpeg_tests
