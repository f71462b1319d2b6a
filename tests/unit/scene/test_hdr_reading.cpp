// Radiance files as other programs write them: exposures, orders of pixels, run lengths, XYZ.
#include <cmath>

#include "renderer/images/image_io.h"
#include "tests/unit/temp_folder.h"

namespace tl::hdr_reading_tests {
namespace {

using test::refusal;
using test::TempFolder;

constexpr char kFormat[] = "FORMAT=32-bit_rle_rgbe\n";

ImageF image_of(const std::string& bytes) {
    TempFolder folder;
    return read_image(folder.write("a.hdr", bytes));
}
std::string refusal_of(const std::string& bytes) {
    return refusal([&] { (void)image_of(bytes); });
}

/// Pixels of (i, 128, 1) / 256, numbered from `first` on.
std::string pixels(int count, int first = 0) {
    std::string bytes;
    for (int i = first; i < first + count; ++i)
        bytes += {static_cast<char>(i), '\x80', '\1', '\x80'};
    return bytes;
}

/// A file of 3 x 2 pixels.
std::string file_with(const std::string& lines, const std::string& format = kFormat) {
    return "#?RADIANCE\n" + lines + format + "\n-Y 2 +X 3\n" + pixels(6);
}

/// The numbers of the pixels, row by row.
std::vector<int> numbers(const ImageF& image) {
    std::vector<int> all;
    for (vec3 rgb : image.rgb) all.push_back(static_cast<int>(rgb.x * 256));
    return all;
}

void expect_factors(const ImageF& image, vec3 factors) {
    ASSERT_EQ(image.rgb.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
        vec3 right = vec3(float(i), 128, 1) / 256.0f * factors;
        for (int c = 0; c < 3; ++c)
            EXPECT_FLOAT_EQ(image.rgb[i][c], right[c]) << "pixel " << i << ", channel " << c;
    }
}

}  // namespace

TEST(HdrReading, ExposuresAreDividedOut) {
    expect_factors(image_of(file_with("")), vec3(1));
    expect_factors(image_of(file_with("EXPOSURE=4.0\n")), vec3(0.25f));
    expect_factors(image_of(file_with("EXPOSURE= 4\nEXPOSURE=+0.5\nSOFTWARE=x\nEXPOSURE=1e-1\n")),
                   vec3(5));
    expect_factors(image_of(file_with("COLORCORR= 0.5 2 4\nEXPOSURE=2\nCOLORCORR=1 1 .5\n")),
                   vec3(1, 0.25f, 0.25f));
    // Lines of the header of another picture, from which this one was made, are indented.
    expect_factors(image_of(file_with("a.hdr:\n\tEXPOSURE=4\n\tFORMAT=32-bit_rle_xyze\n")),
                   vec3(1));
}

TEST(HdrReading, ExposuresThatAreNoPositiveNumbersAreRefused) {
    for (auto* line : {"EXPOSURE=0\n", "EXPOSURE=-1\n", "EXPOSURE=nan\n", "EXPOSURE=\n",
                       "COLORCORR=1 2\n", "EXPOSURE=inf\n"})
        TL_EXPECT_CONTAINS(refusal_of(file_with(line)),
                           "byte 11: an EXPOSURE or COLORCORR of the header is no positive number");
    TL_EXPECT_CONTAINS(refusal_of(file_with("EXPOSURE=1e30\nEXPOSURE=1e30\n")), "beyond a float");
}

TEST(HdrReading, PixelsMayStandInEveryOrder) {
    auto numbers_of = [](const std::string& layout) {
        return numbers(
            image_of("#?RADIANCE\n" + std::string(kFormat) + "\n" + layout + "\n" + pixels(6)));
    };
    using Numbers = std::vector<int>;
    EXPECT_EQ(numbers_of("-Y 2 +X 3"), (Numbers{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(numbers_of("-Y 2 -X 3"), (Numbers{2, 1, 0, 5, 4, 3}));
    EXPECT_EQ(numbers_of("+Y 2 +X 3"), (Numbers{3, 4, 5, 0, 1, 2}));
    EXPECT_EQ(numbers_of("+Y 2 -X 3"), (Numbers{5, 4, 3, 2, 1, 0}));
    // Lines along Y: each is a column of the picture, two pixels high.
    EXPECT_EQ(numbers_of("+X 3 -Y 2"), (Numbers{0, 2, 4, 1, 3, 5}));
    EXPECT_EQ(numbers_of("+X 3 +Y 2"), (Numbers{1, 3, 5, 0, 2, 4}));
    EXPECT_EQ(numbers_of("-X 3 -Y 2"), (Numbers{4, 2, 0, 5, 3, 1}));
    EXPECT_EQ(numbers_of("-X 3 +Y 2"), (Numbers{5, 3, 1, 4, 2, 0}));
    for (auto* layout : {"-Y 2 +Y 3", "-Z 2 +X 3", "-Y 0 +X 3", "Y 2 X 3", "-Y 2"})
        TL_EXPECT_CONTAINS(
            refusal_of("#?RADIANCE\n" + std::string(kFormat) + "\n" + layout + "\n" + pixels(6)),
            "byte 35: the layout is not '-Y height +X width'");
}

TEST(HdrReading, OldRunLengthsRepeatThePixelBefore) {
    auto file = [](const std::string& layout, const std::string& lines) {
        return "#?RADIANCE\n" + std::string(kFormat) + "\n" + layout + "\n" + lines;
    };
    auto run = [](int count) { return std::string("\1\1\1") + static_cast<char>(count); };
    EXPECT_EQ(numbers(image_of(file("-Y 2 +X 9", pixels(1, 7) + run(3) + pixels(2, 8) + run(3) +
                                                     pixels(1, 3) + run(8)))),
              (std::vector<int>{7, 7, 7, 7, 8, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3, 3}));
    // Consecutive runs are the bytes of one number, the lowest first: 2 + 3 * 256 + 65,536.
    constexpr int kLong = 2 + 3 * 256 + 65536;
    ImageF image = image_of(file("-Y 1 +X " + std::to_string(kLong + 3),
                                 pixels(1, 5) + run(2) + run(3) + run(1) + pixels(1, 6) + run(1)));
    std::vector<int> right(kLong + 1, 5);
    right.insert(right.end(), 2, 6);
    EXPECT_EQ(numbers(image), right);
    for (auto& lines : {run(9) + pixels(1), pixels(1) + run(9), pixels(1) + run(0) + run(1)})
        TL_EXPECT_CONTAINS(refusal_of(file("-Y 1 +X 9", lines)), "a run does not fit its line");
    TL_EXPECT_CONTAINS(refusal_of(file("-Y 1 +X 9", pixels(1) + run(7))),
                       "ends before its image does");
}

TEST(HdrReading, LinesWithRunsOfPlanesMayBeColumns) {
    // Eight pixels: three planes of one value, and numbers.
    auto line = [](int first) {
        std::string bytes("\2\2\0\x8\x8", 5);
        for (int i = 0; i < 8; ++i) bytes += static_cast<char>(first + i);
        for (char value : {'\x80', '\1', '\x80'}) bytes += {'\x88', value};
        return bytes;
    };
    EXPECT_EQ(numbers(image_of("#?RADIANCE\n" + std::string(kFormat) + "\n+X 2 +Y 8\n" + line(8) +
                               line(24))),
              (std::vector<int>{15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8, 24}));
}

TEST(HdrReading, LumensOfXyzBecomeWattsOfSrgb) {
    // D65 white of 179 lm/(sr m^2) is white of 1 W/(sr m^2).
    std::string header = "#?RADIANCE\nEXPOSURE=1\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 2\n";
    vec3 white(0.9505f * 179, 179, 1.0891f * 179);
    std::string pixel;
    for (int c = 0; c < 3; ++c) pixel += static_cast<char>(std::lround(white[c]));
    ImageF image = image_of(header + pixel + '\x88' + std::string("\0\xff\0\x80", 4));
    // Steps of the mantissas are 1/179 of the white.
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(image.rgb[0][c], 1, 0.015) << c;
    EXPECT_EQ(image.rgb[1].x, 0);  // Y alone lies beyond red and blue
    EXPECT_EQ(image.rgb[1].z, 0);
    EXPECT_NEAR(image.rgb[1].y, 1.8760108f * 255 / 256 / 179, 1e-6f);
}

TEST(HdrReading, HeadersMayHaveOtherLineEndsAndBlankLines) {
    std::string plain = file_with("EXPOSURE=2\n");
    std::string header = plain.substr(0, plain.find("-Y") + 10);
    std::string windows;
    for (char c : header) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    expect_factors(image_of(windows + pixels(6)), vec3(0.5f));
    expect_factors(image_of("#?RGBE\n\n# made by hand\nEXPOSURE=2\n\n\n" + std::string(kFormat) +
                            "\n\n-Y  2  +X  3 \n" + pixels(6)),
                   vec3(0.5f));
    expect_factors(image_of("EXPOSURE=2\n" + std::string(kFormat) + "\n-Y 2 +X 3\n" + pixels(6)),
                   vec3(0.5f));
}

}  // namespace tl::hdr_reading_tests
