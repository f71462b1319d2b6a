// Normals and areas that files of points bring with them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/text.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/ply/ply_loader.h"
#include "renderer/scene/loaders/points/las_loader.h"
#include "renderer/scene/loaders/points/xyz_loader.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::cloud_attributes_tests {
namespace {

using test::PlyWriter;
using test::TempFolder;

/// Rounding of a quotient of floats, some of which texts have with few digits.
constexpr float kRounding = 1e-6f;

void expect_near(vec3 found, vec3 expected) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], kRounding);
}

PointCloud read_ply(const std::string& bytes, Warnings* warnings = nullptr) {
    Scene scene;
    PointCloud cloud = read_ply_points(scene, bytes, "a.ply");
    if (warnings) *warnings = scene.warnings;
    return cloud;
}

PointCloud read_text(const std::string& text) {
    Scene scene;
    return read_xyz(scene, text, "a.xyz");
}

constexpr const char* kThreePoints = "element vertex 3\n";

TEST(CloudAttributes, PlyNormalsMayStandInAnyOrderAndHaveAnyLength) {
    for (const char* format : test::kPlyFormats) {
        PlyWriter writer(format, std::string(kThreePoints) +
                                     "property double nz\nproperty float x\nproperty float ny\n"
                                     "property float y\nproperty float z\nproperty short nx\n");
        writer.row("dffffh", {0, 1, 0, 2, 3, -7})
            .row("dffffh", {1e-300, 4, 0, 5, 6, 0})
            .row("dffffh", {-3e30, 7, 4e30, 8, 9, 0});
        PointCloud cloud = read_ply(writer.bytes());
        ASSERT_EQ(cloud.normals.size(), 3u) << format;
        EXPECT_EQ(cloud.positions[1], glm::dvec3(4, 5, 6));
        expect_near(cloud.normals[0], {-1, 0, 0});
        EXPECT_EQ(cloud.normals[1], vec3(0));  // no float is that short: it has none
        expect_near(cloud.normals[2], {0, 0.8f, -0.6f});
    }
}

TEST(CloudAttributes, PlyNormalsThatAreNoneAreMarked) {
    for (const char* format : test::kPlyFormats) {
        std::string header = std::string(kThreePoints) +
                             "property float x\nproperty float y\nproperty float z\n"
                             "property float nx\nproperty float ny\nproperty float nz\n";
        PlyWriter some(format, header), none(format, header);
        for (int i = 0; i < 3; ++i) {
            double nx = i == 0 ? 0 : i == 1 ? NAN : 2;
            some.row("ffffff", {double(i), 0, 0, nx, 0, 0});
            none.row("ffffff", {double(i), 0, 0, i == 1 ? INFINITY : 0, 0, 0});
        }
        EXPECT_EQ(read_ply(some.bytes()).normals,
                  (std::vector<vec3>{vec3(0), vec3(0), vec3(1, 0, 0)}));
        EXPECT_TRUE(read_ply(none.bytes()).normals.empty());
    }
}

TEST(CloudAttributes, PlyHasRadiiOrAreas) {
    for (const char* format : test::kPlyFormats) {
        std::string header =
            std::string(kThreePoints) + "property float x\nproperty float y\nproperty float z\n";
        PlyWriter radii(format, header + "property double radius\n");
        PlyWriter areas(format, header + "property float area\nproperty float radius\n");
        for (double radius : {0.5, -1.0, double{NAN}}) {
            radii.row("fffd", {0, 0, 0, radius});
            areas.row("fffff", {0, 0, 0, radius, 7});
        }
        PointCloud cloud = read_ply(radii.bytes());
        ASSERT_EQ(cloud.areas.size(), 3u);
        EXPECT_FLOAT_EQ(cloud.areas[0], kPi / 4);
        EXPECT_EQ(cloud.areas[1], 0);
        EXPECT_EQ(cloud.areas[2], 0);
        EXPECT_EQ(read_ply(areas.bytes()).areas, (std::vector<float>{0.5f, 0, 0}));
    }
}

TEST(CloudAttributes, PlyTellsWhereItWasSeenFrom) {
    auto seen_from = [](const std::string& x) {
        return read_ply(
                   "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float "
                   "y\nproperty float z\nelement camera 1\nproperty float view_px\nproperty float "
                   "view_py\nproperty float x_axisx\nproperty float view_pz\nend_header\n0 0 0\n" +
                   x + " 0 1 0\n")
            .seen_from;
    };
    EXPECT_EQ(seen_from("5"), glm::dvec3(5, 0, 0));
    EXPECT_FALSE(seen_from("0"));  // PCL's value for unknown data
    EXPECT_FALSE(seen_from("nan"));
    EXPECT_FALSE(seen_from("1e16"));
}

TEST(CloudAttributes, PlyColoursOf16BitsMayHoldBytes) {
    for (const char* format : test::kPlyFormats)
        for (double most : {255.0, 256.0}) {
            PlyWriter writer(format,
                             concatenated({kThreePoints,
                                           "property float X\nproperty float Y\nproperty float Z\n"
                                           "property ushort Red\nproperty ushort Green\n"
                                           "property ushort Blue\nproperty uchar red\n"}));
            writer.row("fffHHHB", {1, 2, 3, most, 0, 51, 9})
                .row("fffHHHB", {0, 0, 0, 0, 0, 0, 9})
                .row("fffHHHB", {0, 0, 0, 3, 2, 1, 9});
            PointCloud cloud = read_ply(writer.bytes());
            EXPECT_EQ(cloud.positions.at(0), glm::dvec3(1, 2, 3));
            double full = most > 255 ? 65535 : 255;
            expect_near(cloud.colors.at(0), vec3(most / full, 0, 51 / full));
        }
}

TEST(CloudAttributes, PlyIntensitiesCountWithoutColours) {
    for (const char* name : {"intensity", "scalar_Intensity", "Reflectance"}) {
        std::string header = std::string(kThreePoints) +
                             "property float x\nproperty float y\nproperty float z\n"
                             "property double " +
                             name + "\n";
        PlyWriter grey("ascii", header), red("ascii", header +
                                                          "property uchar red\nproperty uchar "
                                                          "green\nproperty uchar blue\n");
        for (double value : {-2048.0, 5.0, double{NAN}}) {
            grey.row("fffd", {0, 0, 0, value});
            red.row("fffdBBB", {0, 0, 0, value, 255, 0, 0});
        }
        EXPECT_EQ(read_ply(grey.bytes()).intensities, (std::vector<float>{-2048, 5, 0})) << name;
        EXPECT_TRUE(read_ply(red.bytes()).intensities.empty());
    }
}

TEST(CloudAttributes, SplatsBecomeDiscs) {
    std::string header = "element vertex 4\n";
    for (const char* name :
         {"x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2", "f_rest_0", "opacity",
          "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"})
        header += std::string("property float ") + name + "\n";
    const double large = std::log(0.3), middle = std::log(0.2), small = std::log(0.01);
    const double half = std::sqrt(0.5);
    for (const char* format : test::kPlyFormats) {
        PlyWriter writer(format, header);
        std::string types(18, 'f');
        writer.row(types, {1, 2, 3, 0, 0, 0, 1, -9, 9, 5, 4, large, middle, small, 2, 0, 0, 0});
        // A quarter turn about x brings y to z; about z it brings x to y.
        writer.row(types,
                   {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, large, small, middle, half, half, 0, 0});
        writer.row(types,
                   {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, small, large, middle, half, 0, 0, half});
        writer.row(types, {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, -4, 0, 0, 0, 1, 0, 0, 0});
        PointCloud cloud = read_ply(writer.bytes());
        ASSERT_EQ(cloud.normals.size(), 3u) << format;
        EXPECT_EQ(cloud.n_clear, 1u);
        expect_near(cloud.normals[0], {0, 0, 1});
        expect_near(cloud.normals[1], {0, 0, 1});
        expect_near(cloud.normals[2], {0, 1, 0});
        for (float area : cloud.areas) EXPECT_NEAR(area, kPi * 0.06f, kRounding);
        expect_near(cloud.colors[0], {0.5f + 0.28209479f, 0, 1});
        expect_near(cloud.colors[1], vec3(0.5f));
    }
    TempFolder folder;
    PlyWriter clear("ascii", "element vertex 1\n" + header.substr(header.find('\n') + 1));
    clear.row(std::string(18, 'f'), {0, 0, 0, 0, 0, 0, 0, 0, 0, 5, -4, 0, 0, 0, 1, 0, 0, 0});
    folder.write("a.ply", clear.bytes());
    std::string scene = folder.write("a.toml", "[[mesh]]\nfile = \"a.ply\"\ngaussians = false\n");
    TL_EXPECT_CONTAINS(test::refusal([&] { (void)load_scene(scene); }),
                       "a.ply: none of its points is opaque");
}

TEST(CloudAttributes, TextsHaveNormalsInSixToTenColumns) {
    expect_near(read_text("0 0 0 0 0 -2\n1 1 1 0 3 0\n").normals.at(0), {0, 0, -1});
    for (const char* row : {"255 0 0 0 -1 0\n", "0 -1 0 255 0 0\n"}) {
        PointCloud cloud = read_text(std::string("0 0 0 ") + row + "1 1 1 " + row);
        EXPECT_EQ(cloud.normals, std::vector<vec3>(2, vec3(0, -1, 0))) << row;
        EXPECT_EQ(cloud.colors, std::vector<vec3>(2, vec3(255, 0, 0))) << row;
    }
    PointCloud cloud = read_text("0 0 0 7 9 8 7 0 1 0\n1 1 1 7 9 8 7 nan 0 0\n");
    EXPECT_EQ(cloud.normals, (std::vector<vec3>{vec3(0, 1, 0), vec3(0)}));
    EXPECT_TRUE(read_text("0 0 0 9 8 7\n").normals.empty());
    EXPECT_TRUE(read_text("0 0 0\n").normals.empty());
}

/// A LAS file of one point of format 0, whose extra bytes are those of `points`, with the
/// dimensions that describe them: pairs of a type and a name.
std::string las_with_extra(const std::vector<std::pair<int, std::string>>& dimensions,
                           const std::string& extra) {
    auto put = [](std::string& bytes, std::size_t at, auto value) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
    };
    std::string record(54, '\0');
    record.replace(2, 9, "LASF_Spec");
    put(record, 18, std::uint16_t{4});
    put(record, 20, static_cast<std::uint16_t>(192 * dimensions.size()));
    for (auto& [type, name] : dimensions) {
        std::string one(192, '\0');
        one[2] = static_cast<char>(type);
        if (type == 2) {  // a signed byte, of parts of a hundred
            one[3] = 8;
            put(one, 112, 0.01);
        }
        one.replace(4, name.size(), name);
        record += one;
    }
    std::string other(54, '\0');  // a record of another kind, which comes before
    other.replace(2, 3, "any");
    put(other, 18, std::uint16_t{4});
    std::string header(227, '\0');
    header.replace(0, 4, "LASF");
    header[24] = 1;
    header[25] = 2;
    put(header, 94, std::uint16_t{227});
    put(header, 96, static_cast<std::uint32_t>(227 + other.size() + record.size()));
    put(header, 100, 2u);
    put(header, 105, static_cast<std::uint16_t>(20 + extra.size()));
    put(header, 107, 1u);
    for (std::size_t k = 0; k < 3; ++k) put(header, 131 + 8 * k, 1.0);
    return header + other + record + std::string(20, '\0') + extra;
}

template <class... T>
std::string bytes_of(T... values) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
    return bytes;
}

TEST(CloudAttributes, LasHasNormalsInExtraBytes) {
    auto normals_of = [](const auto& dimensions, const std::string& extra) {
        Scene scene;
        return read_las(scene, las_with_extra(dimensions, extra), "a.las").normals;
    };
    using Dimensions = std::vector<std::pair<int, std::string>>;
    const Dimensions floats{{9, "NormalX"}, {9, "NormalY"}, {9, "NormalZ"}};
    expect_near(normals_of(floats, bytes_of(0.0f, -3.0f, 4.0f)).at(0), {0, -0.6f, 0.8f});
    // Others between, in another order and of other types: pairs of shorts take four bytes.
    const Dimensions mixed{
        {10, "normalz"}, {14, "pair"}, {1, "class"}, {2, "normalx"}, {6, "NORMALY"}};
    auto extra = bytes_of(2.0, std::uint32_t{9}, std::uint8_t{7}, std::int8_t{-100}, 2);
    expect_near(normals_of(mixed, extra).at(0), vec3(-1, 2, 2) / 3.0f);
    // Not all three, beyond the point, and of no length.
    EXPECT_TRUE(normals_of(Dimensions{{9, "NormalX"}, {9, "NormalY"}}, extra).empty());
    EXPECT_TRUE(normals_of(floats, bytes_of(0.0f, 1.0f)).empty());
    EXPECT_TRUE(normals_of(floats, bytes_of(0.0f, 0.0f, 0.0f)).empty());
    EXPECT_TRUE(
        normals_of(Dimensions{{99, "what"}, {9, "NormalX"}, {9, "NormalY"}, {9, "NormalZ"}}, extra)
            .empty());
}

}  // namespace
}  // namespace tl::cloud_attributes_tests
