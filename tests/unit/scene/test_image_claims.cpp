// Images whose headers claim more than their bytes can hold are refused before they are decoded.
#include <sys/stat.h>

#include "renderer/images/image_io.h"
#include "tests/unit/temp_folder.h"

namespace tl::image_claims_tests {
namespace {

using test::refusal;
using test::TempFolder;

std::string refusal_of(const std::string& name, std::string_view bytes) {
    return refusal([&] { (void)decode_image8(name, bytes); });
}

std::string little_endian(std::uint32_t value, int n_bytes) {
    std::string bytes;
    for (int i = 0; i < n_bytes; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

/// The header of a TGA file without a palette.
std::string tga_header(int kind, std::uint32_t width, std::uint32_t height, int bits) {
    return std::string(2, '\0') + static_cast<char>(kind) + std::string(9, '\0') +
           little_endian(width, 2) + little_endian(height, 2) + static_cast<char>(bits) + '\0';
}

/// The headers of a BMP file of 24 bits.
std::string bmp_header(std::int32_t width, std::int32_t height) {
    return "BM" + little_endian(54, 4) + little_endian(0, 4) + little_endian(54, 4) +
           little_endian(40, 4) + little_endian(static_cast<std::uint32_t>(width), 4) +
           little_endian(static_cast<std::uint32_t>(height), 4) + little_endian(1, 2) +
           little_endian(24, 2) + std::string(24, '\0');
}

/// The headers of a JPEG, with a comment between that of the frame and that of the first scan.
std::string jpeg_header(int width, int height, const std::string& comment = "") {
    auto big_endian = [](int value) {
        return std::string{static_cast<char>(value >> 8), static_cast<char>(value)};
    };
    return std::string("\xff\xd8\xff\xc0\x00\x11\x08", 7) + big_endian(height) + big_endian(width) +
           std::string("\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00\xff\xfe", 12) +
           big_endian(static_cast<int>(comment.size()) + 2) + comment +
           std::string("\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00", 14);
}

/// A PNG of black pixels whose header names another size.
std::string black_png(const TempFolder& folder, Extent extent, char width, char height) {
    Image8 image{extent, {}};
    for (int i = 0; i < extent.pixels(); ++i) image.rgba.insert(image.rgba.end(), {0, 0, 0, 255});
    std::string path = folder.path("black.png");
    write_png(path, image);
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bytes[18] = width;
    bytes[19] = 0;
    bytes[22] = height;
    bytes[23] = 0;
    return bytes;
}

}  // namespace

TEST(ImageClaims, WhatFollowsAPngDoesNotCount) {
    TempFolder folder;
    std::string bytes = black_png(folder, {64, 64}, 64, 64);
    auto rows = std::int64_t{4 * 16384 + 1} * 16384;
    bytes += std::string(static_cast<std::size_t>(rows / 1000), 'a');
    TL_EXPECT_CONTAINS(refusal_of("black.png", bytes), "16384 x 16384 pixels take at least");
}

TEST(ImageClaims, HeadersAloneAreRefused) {
    TempFolder folder;
    constexpr int kRaw = 2, kRuns = 10;
    for (auto& [name, bytes] : std::initializer_list<std::pair<const char*, std::string>>{
             {"raw.tga", tga_header(kRaw, 8192, 8192, 32)},
             {"runs.tga", tga_header(kRuns, 16384, 16384, 32)},
             {"a.bmp", bmp_header(16384, 16384)},
             {"down.bmp", bmp_header(16384, -16384)},
             {"a.jpg", jpeg_header(16384, 16384)},
             // Data before the picture, here a comment, holds no pixels.
             {"comment.jpg", jpeg_header(16, 65000, std::string(30'000, 'c'))},
             {"a.png", black_png(folder, {8, 8}, 64, 64)}}) {
        std::string message = refusal_of(name, bytes);
        EXPECT_TRUE(message.starts_with(std::string(name) + ": has ")) << message;
        TL_EXPECT_CONTAINS(message, " x ");
        TL_EXPECT_CONTAINS(message, "cut off or damaged");
    }
}

TEST(ImageClaims, HeadersOfLinearImagesAreRefused) {
    TempFolder folder;
    for (const char* width : {"16384", "40000"}) {  // lines that may have runs, and that may not
        std::string header = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4096 +X ";
        std::string path = folder.write("a.hdr", header + width + "\n" + std::string(4096, '\2'));
        TL_EXPECT_CONTAINS(refusal([&] { (void)read_image(path); }), "larger than its bytes");
    }
    std::string path = folder.path("a.exr");
    write_image(path, {{4, 4}, std::vector<vec3>(16)});
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    auto window = bytes.find("dataWindow");
    ASSERT_NE(window, std::string::npos);
    bytes.replace(window + 29, 4, little_endian(8191, 4));  // the last column
    bytes.replace(window + 33, 4, little_endian(8191, 4));  // and row
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image(folder.write("b.exr", bytes)); }),
                       "fewer bytes than its size");
}

TEST(ImageClaims, TheLeastBytesOfAnImageAreEnough) {
    // Runs of 128 pixels of one colour: nothing in the format is shorter.
    std::string bytes = tga_header(10, 512, 64, 24);
    for (int i = 0; i < 512 * 64 / 128; ++i) bytes += std::string("\xff\x10\x20\x30", 4);
    Image8 image = decode_image8("runs.tga", bytes);
    ASSERT_EQ(image.extent, (Extent{512, 64}));
    EXPECT_EQ(image.rgba[4], 0x30);  // the file holds blue first
    EXPECT_EQ(image.rgba.back(), 255);
    bytes.resize(bytes.size() - 20);
    TL_EXPECT_CONTAINS(refusal_of("runs.tga", bytes), "cut off");
}

TEST(ImageClaims, BitmapsAreReadFromTopToBottomToo) {
    std::string rows("\x01\x01\x01\x00\x02\x02\x02\x00", 8);  // padded to four bytes
    EXPECT_EQ(decode_image8("up.bmp", bmp_header(1, 2) + rows).rgba,
              (std::vector<std::uint8_t>{2, 2, 2, 255, 1, 1, 1, 255}));
    EXPECT_EQ(decode_image8("down.bmp", bmp_header(1, -2) + rows).rgba,
              (std::vector<std::uint8_t>{1, 1, 1, 255, 2, 2, 2, 255}));
}

TEST(ImageClaims, PngsWithMoreDataThanPixelsAreRefused) {
    TempFolder folder;
    std::string bytes = black_png(folder, {3072, 3072}, 12, 12);
    EXPECT_EQ(decode_image8("whole.png", bytes).extent, (Extent{3072, 3072}));
    bytes[18] = bytes[22] = 1;  // 256 x 256
    TL_EXPECT_CONTAINS(refusal_of("bomb.png", bytes), "bomb.png: has more data");
}

TEST(ImageClaims, ChunksOfAPngThatGoPastItsEndAreRefused) {
    TempFolder folder;
    std::string bytes = black_png(folder, {256, 256}, 1, 1);
    std::size_t data = bytes.find("IDAT");
    ASSERT_NE(data, std::string::npos);
    bytes[data - 4] = 0x20;  // half a GiB
    TL_EXPECT_CONTAINS(refusal_of("cut.png", bytes),
                       "cut.png: byte " + std::to_string(data - 4) + ": a chunk goes past");
}

TEST(ImageClaims, JpegsOfEndlessScansAreRefused) {
    std::string bytes = jpeg_header(8, 8);
    for (int i = 0; i < 300; ++i) bytes += "\xff\xda";
    TL_EXPECT_CONTAINS(refusal_of("a.jpg", bytes), "scans");
}

TEST(ImageClaims, OnlyATgaIsReadAsOne) {
    TL_EXPECT_CONTAINS(refusal_of("a.tga", "GIF89a" + std::string(100, '\1')), "known: PNG");
    TL_EXPECT_CONTAINS(refusal_of("a.tga", "P6 9999 9999 255\n" + std::string(100, '\1')),
                       "known: PNG");
}

}  // namespace tl::image_claims_tests
