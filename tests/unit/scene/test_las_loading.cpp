// LAS files, which the tests write themselves by the specification's tables.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "renderer/images/srgb.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/points/las_header.h"
#include "tests/unit/temp_folder.h"

namespace tl::las_loading_tests {
namespace {

using test::refusal;
using test::TempFolder;

/// Puts a number at a byte, as machines with little-endian numbers have it.
template <class T>
void put(std::string& bytes, std::size_t at, T value) {
    ASSERT_LE(at + sizeof(T), bytes.size());
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

struct Point {
    std::int32_t x = 0, y = 0, z = 0;
    std::uint16_t intensity = 0, red = 0, green = 0, blue = 0;
    bool is_withheld = false;
};

/// A file to be written, of three points unless a test changes them.
struct LasFile {
    int minor = 2, format = 0;
    std::size_t n_extra = 0, n_before_points = 0;  ///< bytes of each point, and of other records
    glm::dvec3 scale{0.5}, offset{0};
    std::vector<Point> points{
        {0, 0, 0, 100, 65535, 0, 0}, {2, 0, 0, 200, 0, 65535, 0}, {0, 4, 0, 300, 0, 0, 13107}};
};

std::size_t size_of_header(int minor) {
    return minor == 4 ? 375 : minor == 3 ? 235 : 227;
}

/// Tables 4 to 21 of the specification.
std::string bytes_of(const LasFile& file) {
    constexpr std::size_t kBytes[] = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};
    constexpr std::size_t kColor[] = {0, 0, 20, 28, 0, 28, 0, 30, 30, 0, 30};
    std::size_t header = size_of_header(file.minor), start = header + file.n_before_points;
    std::size_t record = kBytes[file.format] + file.n_extra;
    std::string bytes(start + record * file.points.size(), '\x5a');
    std::fill_n(bytes.begin(), header, '\0');
    bytes.replace(0, 4, "LASF");
    put<std::uint8_t>(bytes, 24, 1);
    put(bytes, 25, static_cast<std::uint8_t>(file.minor));
    put(bytes, 94, static_cast<std::uint16_t>(header));
    put(bytes, 96, static_cast<std::uint32_t>(start));
    put(bytes, 104, static_cast<std::uint8_t>(file.format));
    put(bytes, 105, static_cast<std::uint16_t>(record));
    if (file.format < 6) put(bytes, 107, static_cast<std::uint32_t>(file.points.size()));
    if (file.minor == 4) put(bytes, 247, static_cast<std::uint64_t>(file.points.size()));
    for (std::size_t k = 0; k < 3; ++k) {
        put(bytes, 131 + 8 * k, file.scale[static_cast<int>(k)]);
        put(bytes, 155 + 8 * k, file.offset[static_cast<int>(k)]);
    }
    for (std::size_t i = 0; i < file.points.size(); ++i) {
        const Point& point = file.points[i];
        std::size_t at = start + i * record;
        put(bytes, at, point.x);
        put(bytes, at + 4, point.y);
        put(bytes, at + 8, point.z);
        put(bytes, at + 12, point.intensity);
        std::uint8_t withheld = file.format < 6 ? 0x80 : 0x04;
        auto others = static_cast<std::uint8_t>(~withheld);
        put(bytes, at + 15, point.is_withheld ? withheld : others);
        if (kColor[file.format] == 0) continue;
        at += kColor[file.format];
        put(bytes, at, point.red);
        put(bytes, at + 2, point.green);
        put(bytes, at + 4, point.blue);
    }
    return bytes;
}

class LasFiles : public testing::Test {
  protected:
    Scene open(const LasFile& file, const std::string& name = "a.las") const {
        return load_scene(folder.write(name, bytes_of(file)));
    }
    /// Error message for a file whose bytes `change` has modified.
    std::string said_of(const LasFile& file, const std::function<void(std::string&)>& change,
                        const std::string& name = "a.las") const {
        std::string bytes = bytes_of(file);
        change(bytes);
        return refusal([&] { (void)load_scene(folder.write(name, bytes)); });
    }
    TempFolder folder;
};

bool has_colors(int format) {
    return las_format(format).colors_at > 0;
}

TEST_F(LasFiles, EveryPointFormatIsRead) {
    for (int format = 0; format <= 10; ++format)
        for (std::size_t n_extra : {0, 7}) {
            Scene scene = open({.minor = format < 4   ? 2
                                         : format < 6 ? 3
                                                      : 4,
                                .format = format,
                                .n_extra = n_extra,
                                .n_before_points = 54 + n_extra});
            ASSERT_EQ(scene.spheres.size(), 3u) << format;
            EXPECT_EQ(scene.spheres[0].center, vec3(0)) << format;
            EXPECT_EQ(scene.spheres[1].center, vec3(1, 0, 0)) << format;
            EXPECT_EQ(scene.spheres[2].center, vec3(0, 2, 0)) << format;
            EXPECT_EQ(scene.spheres[0].color, has_colors(format) ? vec3(1, 0, 0) : vec3(0));
            vec3 last = has_colors(format) ? vec3(0, 0, linear_from_srgb(0.2f)) : vec3(1);
            for (int k = 0; k < 3; ++k)  // a fifth of 65535 in floats is as near to 0.2
                EXPECT_NEAR(scene.spheres[2].color[k], last[k], 1e-6f) << format;
            EXPECT_EQ(scene.camera.up, vec3(0, 0, 1));
            ASSERT_EQ(scene.warnings.size(), 1u);
            TL_EXPECT_CONTAINS(scene.warnings[0], "a.las: 3 points are shown as spheres");
        }
}

TEST_F(LasFiles, VersionsUpTo14AreRead) {
    for (int minor = 0; minor <= 4; ++minor)
        EXPECT_EQ(open({.minor = minor, .format = 1}).spheres.size(), 3u) << minor;
    TL_EXPECT_CONTAINS(said_of({}, [](auto& bytes) { bytes[25] = 5; }),
                       "a.las: byte 24: is LAS 1.5; versions up to 1.4 are read");
    TL_EXPECT_CONTAINS(said_of({}, [](auto& bytes) { bytes[24] = 2; }), "is LAS 2.2");
    // If a file of version 1.4 has both counts, the older one holds.
    std::string both = bytes_of({.minor = 4, .format = 1});
    put<std::uint64_t>(both, 247, 1);
    Scene scene = load_scene(folder.write("b.las", both));
    EXPECT_EQ(scene.spheres.size(), 3u);
    TL_EXPECT_CONTAINS(scene.warnings.at(0),
                       "b.las: its header counts 3 points at the same position and 1 in another");
    put<std::uint32_t>(both, 107, 0);
    EXPECT_EQ(load_scene(folder.write("b.las", both)).spheres.size(), 1u);
}

TEST_F(LasFiles, AnyEndingOpensThem) {
    EXPECT_EQ(open({}, "a.LAS").spheres.size(), 3u);
    EXPECT_EQ(open({}, "scan").spheres.size(), 3u);
    EXPECT_EQ(open({}, "plain.laz").spheres.size(), 3u);
    folder.write("part.las", bytes_of({}));
    Scene scene = load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"part.las\"\nscale = 2\n"));
    ASSERT_EQ(scene.spheres.size(), 3u);
    EXPECT_EQ(scene.spheres[1].center, vec3(2, 0, 0));
}

TEST_F(LasFiles, ColoursHave16Or8BitsOrAreGreys) {
    LasFile file{.format = 2};
    file.points[0] = {0, 0, 0, 100, 255, 51, 0};
    file.points[1] = {2, 0, 0, 200, 0, 0, 0};
    file.points[2] = {0, 4, 0, 300, 0, 0, 0};
    EXPECT_EQ(open(file).spheres[0].color, vec3(1, linear_from_srgb(0.2f), 0));
    file.points[1].blue = 256;  // all are of 16 bits then
    EXPECT_LT(open(file).spheres[0].color.x, 0.001f);
    file.points[0].red = file.points[0].green = file.points[1].blue = 0;
    Scene grey = open(file);
    EXPECT_EQ(grey.spheres[0].color, vec3(0));
    EXPECT_EQ(grey.spheres[1].color, vec3(linear_from_srgb(0.5f)));
    EXPECT_EQ(grey.spheres[2].color, vec3(1));
    for (auto& point : file.points) point.intensity = 0;
    EXPECT_EQ(open(file).spheres[0].color, vec3(1));
}

TEST_F(LasFiles, WithheldPointsAreLeftOut) {
    for (int format : {3, 7}) {
        LasFile file{.minor = 4, .format = format};
        file.points[1].is_withheld = true;
        Scene scene = open(file);
        ASSERT_EQ(scene.spheres.size(), 2u);
        EXPECT_EQ(scene.spheres[1].center, vec3(0, 2, 0));
        EXPECT_GT(scene.spheres[1].color.z, 0);
        TL_EXPECT_CONTAINS(scene.warnings.at(0),
                           "a.las: 1 points are marked as withheld and left out");
        for (auto& point : file.points) point.is_withheld = true;
        TL_EXPECT_CONTAINS(refusal([&] { (void)open(file); }),
                           "a.las: all of its points are marked as withheld");
    }
}

TEST_F(LasFiles, MapsKeepTheirDetails) {
    LasFile file{.scale = glm::dvec3(0.0009765625), .offset = {482300, 4512300, 0}};
    file.points[1] = {1024000, 1, 0};
    Scene scene = open(file);
    EXPECT_NE(scene.offset.y, 0);
    // The step is a power of two, which floats near the origin hold.
    EXPECT_EQ(scene.spheres[1].center - scene.spheres[0].center, vec3(1000, 0.0009765625f, 0));
}

TEST_F(LasFiles, ClaimsAreCheckedBeforeMemoryIsTaken) {
    auto set = [](std::size_t at, auto value) {
        return [=](std::string& bytes) { put(bytes, at, value); };
    };
    TL_EXPECT_CONTAINS(said_of({}, set(107, UINT32_MAX)),
                       "a.las: byte 107: the header promises 4294967295 points, but the file has "
                       "room for 3; it may be cut off");
    TL_EXPECT_CONTAINS(said_of({.minor = 4, .format = 6}, set(247, UINT64_MAX)),
                       "a.las: byte 247: the header promises 18446744073709551615 points");
    TL_EXPECT_CONTAINS(said_of({}, set(107, 0u)), "a.las: has no points");
    TL_EXPECT_CONTAINS(said_of({}, set(0, 'X')), "a.las: byte 0: is no LAS file");
    TL_EXPECT_CONTAINS(said_of({}, set(94, std::uint16_t{226})),
                       "a.las: byte 94: the header has 226 bytes; that of LAS 1.2 has 227");
    TL_EXPECT_CONTAINS(said_of({.minor = 4}, set(94, std::uint16_t{374})),
                       "that of LAS 1.4 has 375 at least");
    TL_EXPECT_CONTAINS(said_of({}, set(94, std::uint16_t{65535})), "ends in its header");
    TL_EXPECT_CONTAINS(said_of({}, set(96, 226u)), "a.las: byte 96: points start at byte 226");
    TL_EXPECT_CONTAINS(said_of({}, set(96, UINT32_MAX)), "a.las: byte 96: points start at byte");
    TL_EXPECT_CONTAINS(said_of({}, set(104, std::uint8_t{11})),
                       "a.las: byte 104: points have the format 11; 0 to 10 are read");
    TL_EXPECT_CONTAINS(said_of({}, set(105, std::uint16_t{19})),
                       "a.las: byte 105: points have 19 bytes; those of format 0 have 20");
    TL_EXPECT_CONTAINS(said_of({}, set(139, 0.0)), "a.las: byte 139: the scale of y is 0");
    TL_EXPECT_CONTAINS(said_of({}, set(171, std::nan(""))),
                       "a.las: byte 171: the offset of z is nan");
    TL_EXPECT_CONTAINS(said_of({}, set(131, 1e300)),
                       "a.las: byte 247: point 1: its x is beyond the largest coordinate, 1e15");
}

TEST_F(LasFiles, PackedOnesAreRefusedWithTheWayToUnpackThem) {
    for (const char* name : {"a.laz", "a.las"}) {
        std::string said = said_of(
            {.format = 3}, [](auto& bytes) { bytes[104] = '\x83'; }, name);
        TL_EXPECT_CONTAINS(said, std::string(name) + ": its points are packed (LAZ)");
        TL_EXPECT_CONTAINS(said, "pdal translate IN.laz OUT.las");
    }
}

TEST_F(LasFiles, EveryPrefixIsRefused) {
    std::string bytes = bytes_of({.minor = 4, .format = 10, .n_extra = 3});
    EXPECT_EQ(test::read_truncated(folder, "cut.las", bytes, 3,
                                   [](auto& path) { (void)load_scene(path); }),
              0);
}

}  // namespace
}  // namespace tl::las_loading_tests
