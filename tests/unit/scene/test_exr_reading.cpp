// OpenEXR files as other programs write them: orders of lines, tiles, windows, channels.
#include "renderer/images/image_io.h"
#include "renderer/scene/environment_map.h"
#include "tests/unit/scene/exr_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::exr_reading_tests {
namespace {

using test::ExrChannelName;
using test::ExrCorners;
using test::ExrLayout;
using test::refusal;
using test::TempFolder;

ImageF image_of(const ExrLayout& layout) {
    TempFolder folder;
    return read_image(folder.write("a.exr", test::exr_file(layout)));
}
std::string refusal_of(const ExrLayout& layout) {
    return refusal([&] { (void)image_of(layout); });
}

/// The picture in the display window: the data's values, and black around them.
ImageF expected(const ExrLayout& layout) {
    auto [left, top, right, bottom] = layout.display;
    ImageF image{{right - left + 1, bottom - top + 1}, {}};
    auto& data = layout.data;
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            bool is_inside = x >= data.left && x <= data.right && y >= data.top && y <= data.bottom;
            // Channels are sorted by name.
            image.rgb.push_back(is_inside ? vec3(test::exr_value(x, y, 2), test::exr_value(x, y, 1),
                                                 test::exr_value(x, y, 0))
                                          : vec3(0));
        }
    return image;
}

void expect_read(const ExrLayout& layout) {
    ImageF read = image_of(layout), right = expected(layout);
    EXPECT_EQ(read.extent, right.extent);
    EXPECT_EQ(read.rgb, right.rgb);
}

constexpr ExrCorners kDisplay{0, 0, 19, 39};

}  // namespace

TEST(ExrReading, TheOrderOfChunksNeverTurnsThePicture) {
    for (int compression = 0; compression <= 4; ++compression)
        for (int order = 0; order <= 2; ++order)
            for (Extent tile : {Extent{0, 0}, Extent{7, 5}, Extent{16, 16}, Extent{64, 64}})
                for (int type : {1, 2}) {
                    SCOPED_TRACE(testing::Message() << "compression " << compression << ", order "
                                                    << order << ", tiles of " << tile.width);
                    ExrLayout layout{.data = kDisplay, .display = kDisplay};
                    layout.compression = compression;
                    layout.order = order;
                    layout.tile = tile;
                    for (auto& channel : layout.channels) channel.type = type;
                    expect_read(layout);
                }
}

TEST(ExrReading, DataLieWithinTheDisplayWindow) {
    constexpr ExrCorners kElsewhere{-12, 7, 30, 21};
    for (ExrCorners data : {ExrCorners{4, 2, 11, 35},
                            {-9, -20, 3, 2},
                            {-30, 25, 50, 70},
                            {-5, -5, 40, 60},
                            {100, 100, 110, 120}})
        for (ExrCorners display : {kDisplay, kElsewhere})
            for (int compression : {0, 3, 4})
                for (Extent tile : {Extent{0, 0}, Extent{9, 6}}) {
                    SCOPED_TRACE(testing::Message() << data.left << ", " << data.top);
                    expect_read({.data = data,
                                 .display = display,
                                 .compression = compression,
                                 .order = 1,
                                 .tile = tile});
                }
}

TEST(ExrReading, CompressedLinesMayStandInAnyOrder) {
    TempFolder folder;
    ImageF image{{9, 50}, {}};
    for (int i = 0; i < image.extent.pixels(); ++i)
        image.rgb.emplace_back(float(i / 9), float(i % 9), 0.5f);
    std::string path = folder.path("a.exr");
    write_image(path, image);
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // Four chunks of 16 lines; their table comes first after the header.
    auto order = bytes.find("lineOrder\0lineOrder\0\1\0\0\0", 0, 24);
    ASSERT_NE(order, std::string::npos);
    bytes[order + 24] = 1;
    EXPECT_EQ(read_image(folder.write("b.exr", bytes)).rgb, image.rgb);
}

TEST(ExrReading, EnvironmentsAreUpright) {
    TempFolder folder;
    ExrLayout layout{.data = {2, 1, 5, 3}, .display = {0, 0, 7, 3}, .order = 1};
    Warnings warnings;
    auto map = load_environment(folder.write("a.exr", test::exr_file(layout)), warnings);
    EXPECT_EQ(map.extent, (Extent{8, 4}));
    EXPECT_EQ(map.texels, expected(layout).rgb);
}

TEST(ExrReading, FilesWithoutATableAreReadInTheirOwnOrder) {
    for (int order : {0, 1})
        for (Extent tile : {Extent{0, 0}, Extent{8, 8}}) {
            ExrLayout layout{.data = kDisplay, .display = kDisplay, .order = order, .tile = tile};
            layout.has_table = false;
            expect_read(layout);
        }
}

TEST(ExrReading, MissingChunksAreNamed) {
    ExrLayout layout{.data = kDisplay, .display = kDisplay, .has_table = false};
    TempFolder folder;
    std::string bytes = test::exr_file(layout);
    bytes.resize(bytes.size() - (8 + 20 * 12));  // the last line
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image(folder.write("a.exr", bytes)); }),
                       "lacks line 39; it is not complete");
    layout.tile = {8, 8};
    bytes = test::exr_file(layout);
    bytes.resize(bytes.size() - (20 + 4 * 8 * 12));
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image(folder.write("b.exr", bytes)); }),
                       "lacks tile 2, 4; it is not complete");
}

TEST(ExrReading, ColorsAreThoseOfThePlainChannelsOrOfTheOnlyLayer) {
    auto channels_of = [](std::vector<ExrChannelName> channels) {
        ExrLayout layout;
        layout.channels = std::move(channels);
        return layout;
    };
    auto first = [&](std::vector<ExrChannelName> channels) {
        return image_of(channels_of(std::move(channels))).rgb[0];
    };
    auto value = [](std::size_t c) { return test::exr_value(0, 0, c); };
    EXPECT_EQ(first({{"A"}, {"B"}, {"G"}, {"R"}, {"Y"}, {"top.B"}, {"top.G"}, {"top.R"}}),
              vec3(value(3), value(2), value(1)));
    EXPECT_EQ(first({{"A"}, {"Y"}}), vec3(value(1)));
    EXPECT_EQ(first({{"id", 0}, {"view.all.B"}, {"view.all.G"}, {"view.all.R"}, {"view.depth.Z"}}),
              vec3(value(3), value(2), value(1)));
    TL_EXPECT_CONTAINS(
        refusal_of(channels_of({{"a.B"}, {"a.G"}, {"a.R"}, {"b.B"}, {"b.G"}, {"b.R"}})),
        "in several layers");
    // Luminance with chroma, positions or CIE XYZ, and numbers of objects are no grey pictures.
    for (auto& channels : {std::vector<ExrChannelName>{{"BY"}, {"RY"}, {"Y"}},
                           {{"X"}, {"Y"}, {"Z"}},
                           {{"B", 0}, {"G", 0}, {"R", 0}}})
        TL_EXPECT_CONTAINS(refusal_of(channels_of(channels)),
                           "has no channels R, G, B, nor Y alone");
}

TEST(ExrReading, KindsThatAreNotReadAreNamed) {
    ExrLayout layout;
    layout.kind = 0x800;
    TL_EXPECT_CONTAINS(refusal_of(layout), "holds deep pixels; save one flat part");
    layout.kind = 0x1000;
    TL_EXPECT_CONTAINS(refusal_of(layout), "has several parts; save one flat part");
    layout = {};
    layout.channels = {{"BY", 1, 2}, {"RY", 1, 2}, {"Y", 1, 1}};
    TL_EXPECT_CONTAINS(refusal_of(layout), "channel 'BY' with less than the full resolution");
    layout = {};
    layout.display = {5, 5, 4, 9};
    TL_EXPECT_CONTAINS(refusal_of(layout), "no pixels in its displayWindow");
    layout = {};
    std::string bytes = test::exr_file(layout);
    TempFolder folder;
    bytes[bytes.find("compression\0kind", 0, 16) + 21] = 6;
    TL_EXPECT_CONTAINS(refusal([&] { (void)read_image(folder.write("a.exr", bytes)); }),
                       "has the compression B44 that is not read; known: none, RLE");
    layout.display = {0, 0, 8191, 8191};
    TL_EXPECT_CONTAINS(refusal_of(layout),
                       "display window of 8192 x 8192 pixels around data of 5 x 3");
}

}  // namespace tl::exr_reading_tests
