// Gaussians of PLY files that are compressed in chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/packing.hpp>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::ply_packed_tests {
namespace {

using test::PlyWriter;

constexpr double kHarmonic = 0.28209479177387814;  // 1 / (2 sqrt(pi))

std::string properties(const char* type, const std::vector<std::string>& names) {
    std::string text;
    for (auto& name : names) text += std::string("property ") + type + " " + name + "\n";
    return text;
}

std::string chunk_header(int n, bool with_colors) {
    std::vector<std::string> names{"min_x",       "min_y",       "min_z",       "max_x",
                                   "max_y",       "max_z",       "min_scale_x", "min_scale_y",
                                   "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z"};
    if (with_colors)
        for (const char* name : {"min_r", "min_g", "min_b", "max_r", "max_g", "max_b"})
            names.emplace_back(name);
    return "element chunk " + std::to_string(n) + "\n" + properties("float", names);
}

std::string vertex_header(int n) {
    return "element vertex " + std::to_string(n) + "\n" +
           properties("uint",
                      {"packed_position", "packed_rotation", "packed_scale", "packed_color"});
}

std::string sh_header(int n, int n_rest) {
    std::vector<std::string> names;
    for (int k = 0; k < n_rest; ++k) names.push_back("f_rest_" + std::to_string(k));
    return "element sh " + std::to_string(n) + "\n" + properties("uchar", names);
}

/// Three whole numbers of 11, 10 and 11 bits.
double word_of(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return x << 21 | y << 11 | z;
}
double color_word(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
    return r << 24 | g << 16 | b << 8 | a;
}
/// A rotation of three parts of 1023, of which the part `largest` of w, x, y, z is left out.
double rotation_word(std::uint32_t largest, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return largest << 30 | a << 20 | b << 10 | c;
}
/// The identity: w is left out, and all others are as near to 0 as parts of 1023 are.
const double kNoTurn = rotation_word(0, 512, 512, 512);

const std::vector<double> kRanges{-1, 0, 2, 1, 4, 2, -2, -3, -1, 0, -1, -1};

Scene opened(const std::string& bytes) {
    test::TempFolder folder;
    return load_scene(folder.write("packed.ply", bytes));
}
std::string said_of(const std::string& bytes) {
    return test::refusal([&] { (void)opened(bytes); });
}

TEST(PackedPly, WordsArePartsOfTheRangesOfTheirChunk) {
    for (const char* format : test::kPlyFormats) {
        PlyWriter file(format, chunk_header(1, false) + vertex_header(3));
        file.row("ffffffffffff", kRanges);
        file.row("IIII",
                 {word_of(0, 0, 0), kNoTurn, word_of(0, 0, 0), color_word(0, 255, 51, 255)});
        file.row("IIII", {word_of(2047, 1023, 2047), kNoTurn, word_of(2047, 1023, 2047),
                          color_word(255, 0, 204, 102)});
        file.row("IIII", {word_of(1024, 512, 7), kNoTurn, word_of(1024, 512, 7),
                          color_word(0, 0, 0, 1)});  // of 1/255 at its peak: not there
        Scene scene = opened(file.bytes());
        auto& set = scene.gaussians.at(0);
        ASSERT_EQ(set.size(), 2u) << format;
        EXPECT_EQ(set.degree, 0);
        EXPECT_EQ(set.centers[0], vec3(-1, 0, 2));
        EXPECT_EQ(set.centers[1], vec3(1, 4, 2));
        EXPECT_EQ(set.opacities[0], 1.0f);
        EXPECT_NEAR(set.opacities[1], 0.4f, 1e-6f);
        // A turn of half a 1023rd is of 1e-3, and the difference of squares below it.
        EXPECT_NEAR(set.covariances[0].xx, std::exp(-4.0), 1e-4);
        EXPECT_NEAR(set.covariances[0].yy, std::exp(-6.0), 1e-4);
        EXPECT_NEAR(set.covariances[0].zz, std::exp(-2.0), 1e-4);
        EXPECT_NEAR(set.covariances[1].xx, 1, 1e-4);
        const double colors[] = {0, 1, 0.2, 1, 0, 0.8};
        for (std::size_t k = 0; k < 6; ++k)  // half floats have 11 bits
            EXPECT_NEAR(glm::unpackHalf1x16(set.harmonics.at(k)), (colors[k] - 0.5) / kHarmonic,
                        2e-3);
        EXPECT_TRUE(scene.warnings.empty());
    }
}

TEST(PackedPly, RangesFollowTheChunkAndMayHoldColours) {
    PlyWriter file("binary_little_endian", chunk_header(2, true) + vertex_header(300));
    for (double x : {10.0, 20.0})
        file.row("ffffffffffffffffff",
                 {x, 0, 0, x, 0, 0, -1, -1, -1, -1, -1, -1, 0, x / 40, -1, x / 20, 1, 3});
    for (int i = 0; i < 300; ++i)
        file.row("IIII",
                 {word_of(5, 5, 5), kNoTurn, word_of(5, 5, 5), color_word(255, 0, 51, 255)});
    Scene scene = opened(file.bytes());
    auto& set = scene.gaussians.at(0);
    ASSERT_EQ(set.size(), 300u);
    EXPECT_EQ(set.centers[255].x, 10);
    EXPECT_EQ(set.centers[256].x, 20);
    auto color = [&](std::size_t i, std::size_t c) {
        return glm::unpackHalf1x16(set.harmonics.at(3 * i + c)) * kHarmonic + 0.5;
    };
    EXPECT_NEAR(color(255, 0), 0.5, 1e-3);
    EXPECT_NEAR(color(256, 0), 1, 1e-3);
    EXPECT_NEAR(color(256, 1), 0.5, 1e-3);
    EXPECT_NEAR(color(256, 2), -0.2, 1e-3);
}

TEST(PackedPly, TheLargestPartOfARotationFollowsFromTheOthers) {
    // A quarter turn about z has parts w = z = sqrt(0.5), which is the largest that is stored.
    for (double word : {rotation_word(0, 512, 512, 1023), rotation_word(3, 1023, 512, 512)}) {
        PlyWriter file("binary_little_endian", chunk_header(1, false) + vertex_header(1));
        file.row("ffffffffffff", kRanges);
        file.row("IIII", {word_of(0, 0, 0), word, word_of(2047, 0, 0), color_word(9, 9, 9, 255)});
        auto scene = opened(file.bytes());
        auto& covariance = scene.gaussians.at(0).covariances.at(0);
        // x, of deviation 1, lies along y; half a 1023rd turns the others by 1e-3.
        EXPECT_NEAR(covariance.yy, 1, 1e-2);
        EXPECT_NEAR(covariance.xx, std::exp(-6.0), 1e-3);
        EXPECT_NEAR(covariance.zz, std::exp(-2.0), 1e-2);
    }
}

TEST(PackedPly, HigherDegreesAreBytes) {
    for (auto [degree, n_rest] : {std::pair{1, 9}, {2, 24}, {3, 45}}) {
        PlyWriter file("binary_little_endian",
                       chunk_header(1, false) + vertex_header(2) + sh_header(2, n_rest));
        file.row("ffffffffffff", kRanges);
        for (int i = 0; i < 2; ++i)
            file.row("IIII",
                     {word_of(1, 1, 1), kNoTurn, word_of(1, 1, 1), color_word(0, 0, 0, 255)});
        std::vector<double> bytes(static_cast<std::size_t>(n_rest));
        for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = k == 0 ? 255 : double(5 * k);
        file.row(std::string(bytes.size(), 'B'), std::vector<double>(bytes.size(), 0));
        file.row(std::string(bytes.size(), 'B'), bytes);
        Scene scene = opened(file.bytes());
        auto& set = scene.gaussians.at(0);
        ASSERT_EQ(set.degree, degree);
        std::size_t per_channel = bytes.size() / 3, n = set.harmonics.size() / 2;
        for (std::size_t k = 0; k < bytes.size(); ++k) {
            std::size_t at = k / per_channel * (per_channel + 1) + 1 + k % per_channel;
            EXPECT_EQ(glm::unpackHalf1x16(set.harmonics.at(at)), -4);
            double expected = k == 0 ? 4 : 8 * ((bytes[k] + 0.5) / 256 - 0.5);
            EXPECT_NEAR(glm::unpackHalf1x16(set.harmonics.at(n + at)), expected, 2e-3);
        }
    }
}

TEST(PackedPly, ASceneFileMayTakeThemAsPoints) {
    PlyWriter file("binary_little_endian", chunk_header(1, false) + vertex_header(2));
    file.row("ffffffffffff", kRanges);
    for (std::uint32_t alpha : {255u, 3u})
        file.row("IIII",
                 {word_of(0, 0, 0), kNoTurn, word_of(0, 0, 0), color_word(255, 0, 0, alpha)});
    test::TempFolder folder;
    folder.write("packed.ply", file.bytes());
    Scene scene =
        load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"packed.ply\"\ngaussians = false\n"));
    ASSERT_EQ(scene.splats.size(), 1u);  // the other one is nearly transparent
    EXPECT_EQ(glm::dvec3(scene.splats[0].center) + scene.offset, glm::dvec3(-1, 0, 2));
    EXPECT_NEAR(std::abs(scene.splats[0].normal.y), 1, 1e-5f);  // the shortest axis
    EXPECT_NEAR(scene.splats[0].color.x, 1, 1e-5f);
}

TEST(PackedPly, ElementsThatDoNotBelongTogetherAreRefused) {
    auto said_with = [](const std::string& header) {
        PlyWriter file("ascii", header);
        for (int i = 0; i < 3; ++i) file.row(std::string(60, 'f'), std::vector<double>(60, 1));
        return said_of(file.bytes());
    };
    TL_EXPECT_CONTAINS(said_with(vertex_header(1)),
                       "packed.ply:3: vertices are compressed Gaussians, "
                       "but there is no element 'chunk'");
    TL_EXPECT_CONTAINS(said_with(chunk_header(2, false) + vertex_header(1)),
                       "1 compressed Gaussians want 1 rows of 'chunk'");
    TL_EXPECT_CONTAINS(
        said_with(chunk_header(1, false) + "property float min_r\n" + vertex_header(1)),
        "want a property 'min_g' of 'chunk'");
    TL_EXPECT_CONTAINS(
        said_with(chunk_header(1, false) + "element vertex 1\nproperty uint packed_position\n"),
        "want a property 'packed_rotation' of 'vertex'");
    TL_EXPECT_CONTAINS(said_with(chunk_header(1, false) + vertex_header(1) + sh_header(2, 9)),
                       "2 rows of 'sh' for 1 compressed");
    TL_EXPECT_CONTAINS(said_with(chunk_header(1, false) + vertex_header(1) + sh_header(1, 72)),
                       "packed.ply:21: Gaussians have 72 numbers f_rest");
    TL_EXPECT_CONTAINS(said_with(chunk_header(1, false) + vertex_header(1) +
                                 "element sh 1\nproperty float f_rest_0\n"),
                       "'f_rest_0' is none of the properties of 'sh'");
}

TEST(PackedPly, EveryPrefixIsRefused) {
    PlyWriter file("binary_little_endian",
                   chunk_header(1, false) + vertex_header(1) + sh_header(1, 9));
    file.row("ffffffffffff", kRanges);
    file.row("IIII", {0, kNoTurn, 0, color_word(0, 0, 0, 255)});
    file.row("BBBBBBBBB", std::vector<double>(9, 1));
    test::TempFolder folder;
    EXPECT_EQ(test::read_truncated(folder, "cut.ply", file.bytes(), 31,
                                   [](auto& path) { (void)load_scene(path); }),
              0);
}

}  // namespace
}  // namespace tl::ply_packed_tests
