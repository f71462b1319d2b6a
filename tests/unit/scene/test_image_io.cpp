#include <cmath>
#include <limits>

#include "renderer/images/image_io.h"
#include "tests/unit/temp_folder.h"

namespace tl::image_io_tests {
namespace {

using test::refusal;
using test::TempFolder;

constexpr Extent kExtent{11, 5};  // HDR writes runs from eight pixels on

/// Every pixel differs from every other, so that flips and swaps show.
Image8 gradient8() {
    Image8 image{kExtent, {}};
    for (int i = 0; i < kExtent.pixels(); ++i)
        for (int k : {i, 2 * i + 1, 255 - i, 200 + i})
            image.rgba.push_back(static_cast<std::uint8_t>(k));
    return image;
}

ImageF gradient() {
    ImageF image{kExtent, {}};
    for (int i = 0; i < kExtent.pixels(); ++i)
        image.rgb.emplace_back(0.25f + 0.125f * float(i), 1e-3f * float(i + 1), 100.0f + float(i));
    return image;
}

std::size_t files_in(const std::filesystem::path& folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ImageIo, PngKeepsEveryPixel) {
    TempFolder folder;
    std::string path = folder.path("a.png");
    write_png(path, gradient8());
    Image8 back = read_image8(path);
    EXPECT_EQ(back.extent, kExtent);
    EXPECT_EQ(back.rgba, gradient8().rgba);
}

TEST(ImageIo, PngKeepsPicturesOfEverySize) {
    TempFolder folder;
    std::string path = folder.path("a.png");
    for (Extent extent : {Extent{1, 1}, Extent{1, 300}, Extent{501, 2}, Extent{640, 360}})
        for (bool opaque : {true, false}) {
            Image8 image{extent, {}};
            for (std::uint32_t i = 0; i < 4u * static_cast<std::uint32_t>(extent.pixels()); ++i)
                image.rgba.push_back(
                    i % 4 == 3 && opaque ? 255 : static_cast<std::uint8_t>(i * i / 7 + i % 31));
            write_png(path, image);
            Image8 back = read_image8(path);
            EXPECT_EQ(back.extent, extent);
            EXPECT_EQ(back.rgba, image.rgba);
        }
}

TEST(ImageIo, ExrKeepsEveryFloat) {
    TempFolder folder;
    std::string path = folder.path("a.EXR");
    ImageF image = gradient();
    image.rgb[3] = vec3(-1, 70000, 1e-30f);  // beyond half precision, and negative
    write_image(path, image);
    ImageF back = read_image(path);
    EXPECT_EQ(back.extent, kExtent);
    EXPECT_EQ(back.rgb, image.rgb);
}

TEST(ImageIo, HdrKeepsEightBitsOfTheLargestChannel) {
    TempFolder folder;
    std::string path = folder.path("a.hdr");
    write_image(path, gradient());
    ImageF back = read_image(path);
    ASSERT_EQ(back.rgb.size(), gradient().rgb.size());
    for (std::size_t i = 0; i < back.rgb.size(); ++i) {
        // One exponent for three channels: steps of 1/128 to 1/256 of the largest.
        float step = gradient().rgb[i].z / 128;
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(back.rgb[i][k], gradient().rgb[i][k], step) << i;
    }
}

TEST(ImageIo, HdrReadsFlatLinesOfNarrowImages) {
    TempFolder folder;
    ImageF image{{2, 2}, {vec3(1), vec3(0.5f, 0, 0), vec3(0, 8, 0), vec3(3, 2, 1)}};
    write_image(folder.path("a.hdr"), image);
    EXPECT_EQ(read_image(folder.path("a.hdr")).rgb, image.rgb);
}

TEST(ImageIo, HdrTakesWhatRgbeCannotHold) {
    TempFolder folder;
    ImageF image{{1, 3}, {vec3(-1), vec3(kInfinity), vec3(std::nanf(""))}};
    write_image(folder.path("a.hdr"), image);
    ImageF back = read_image(folder.path("a.hdr"));
    EXPECT_EQ(back.rgb[0], vec3(0));
    EXPECT_TRUE(std::isfinite(back.rgb[1].x) && back.rgb[1].x > 1e37f);
    EXPECT_EQ(back.rgb[2], vec3(0));
}

TEST(ImageIo, WritingLeavesOneFileAndReplacesTheOldOne) {
    TempFolder folder;
    std::string path = folder.write("a.png", "what stood there");
    write_png(path, gradient8());
    EXPECT_EQ(read_image8(path).extent, kExtent);
    EXPECT_EQ(files_in(folder.path("")), 1u);
}

TEST(ImageIo, FailedWritingKeepsTheOldFileAndLeavesNoPart) {
    TempFolder folder;
    // A folder cannot be replaced by a file: the last step, the rename, fails.
    folder.write("a.png/inside", "kept");
    std::string message = refusal([&] { write_png(folder.path("a.png"), gradient8()); });
    TL_EXPECT_CONTAINS(message, "a.png");
    EXPECT_EQ(bytes_of(folder.path("a.png/inside")), "kept");
    EXPECT_EQ(files_in(folder.path("")), 1u);
}

TEST(ImageIo, UnwritableFolderIsNamed) {
    std::string message = refusal([] { write_png("/no/such/folder/a.png", gradient8()); });
    TL_EXPECT_CONTAINS(message, "/no/such/folder/a.png");
    TL_EXPECT_CONTAINS(message, "No such file or directory");
}

TEST(ImageIo, UnknownEndingsListTheKnownOnes) {
    std::string message = refusal([] { write_image("a.tiff", gradient()); });
    TL_EXPECT_CONTAINS(message, "a.tiff");
    TL_EXPECT_CONTAINS(message, ".hdr or .exr");
    TL_EXPECT_CONTAINS(refusal([] { write_image("a.png", gradient()); }), ".hdr or .exr");
    TL_EXPECT_CONTAINS(refusal([] { write_png("a.jpg", gradient8()); }), ".png");
    TL_EXPECT_CONTAINS(refusal([] { (void)read_image("a.png"); }), ".hdr or .exr");
}

TEST(ImageIo, EmptyAndMismatchedImagesAreRefused) {
    TempFolder folder;
    EXPECT_NE(refusal([&] { write_png(folder.path("a.png"), {}); }), "");
    Image8 image = gradient8();
    image.rgba.pop_back();
    TL_EXPECT_CONTAINS(refusal([&] { write_png(folder.path("a.png"), image); }), "219 values");
    EXPECT_EQ(files_in(folder.path("")), 0u);
}

TEST(ImageIo, MissingFilesFoldersAndGarbageAreRefusedByName) {
    TempFolder folder;
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image8(folder.path("none.png")); }),
                       "none.png: no such file");
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image8(folder.path("")); }), "folder");
    for (auto* name : {"bad.png", "bad.hdr", "bad.exr"}) {
        std::string path = folder.write(name, "this is no image at all, whatever it is called");
        TL_EXPECT_CONTAINS(refusal([&] {
                               if (path.ends_with("png"))
                                   (void)read_image8(path);
                               else
                                   (void)read_image(path);
                           }),
                           name);
    }
}

TEST(ImageIo, TruncatedImagesAreReadOrRefused) {
    TempFolder folder;
    write_png(folder.path("whole.png"), gradient8());
    write_image(folder.path("whole.hdr"), gradient());
    write_image(folder.path("whole.exr"), gradient());
    int taken = test::read_truncated(folder, "cut.png", bytes_of(folder.path("whole.png")), 7,
                                     [](auto& path) { (void)read_image8(path); });
    EXPECT_LE(taken, 8);  // at most the pieces that lack the end chunk alone
    for (auto* name : {"cut.hdr", "cut.exr"}) {
        std::string whole = bytes_of(folder.path("whole" + std::string(name).substr(3)));
        test::read_truncated(folder, name, whole, 7, [](auto& path) { (void)read_image(path); });
    }
}

TEST(ImageIo, DamagedFilesAreReadOrRefused) {
    TempFolder folder;
    for (auto* name : {"whole.exr", "whole.hdr", "whole.png"}) {
        SCOPED_TRACE(name);
        bool linear = !std::string_view(name).ends_with("png");
        std::string path = folder.path(name);
        if (linear)
            write_image(path, gradient());
        else
            write_png(path, gradient8());
        std::string whole = bytes_of(path);
        int refusals = 0;
        for (std::size_t i = 0; i < whole.size(); ++i)
            for (char flip : {'\x01', '\x80', '\xff'}) {
                std::string damaged = whole;
                damaged[i] = static_cast<char>(damaged[i] ^ flip);
                std::ofstream(path, std::ios::binary) << damaged;
                std::string message = refusal([&] {
                    if (linear)
                        (void)read_image(path);
                    else
                        (void)read_image8(path);
                });
                refusals += !message.empty();
                EXPECT_TRUE(message.empty() || message.starts_with(path)) << message;
            }
        EXPECT_GT(refusals, 50);
    }
}

TEST(ImageIo, HugeDimensionsInAHeaderAreRefusedBeforeAllocating) {
    TempFolder folder;
    write_png(folder.path("a.png"), gradient8());
    std::string bytes = bytes_of(folder.path("a.png"));
    // Width and height stand in bytes 16 to 23: 2^24 - 1 each.
    bytes.replace(16, 8, std::string("\x00\xff\xff\xff\x00\xff\xff\xff", 8));
    std::string message = refusal([&] { (void)read_image8(folder.write("huge.png", bytes)); });
    TL_EXPECT_CONTAINS(message, "huge.png");
}

}  // namespace
}  // namespace tl::image_io_tests
