// Points as lines of text, .xyz and .pts.
#include <gtest/gtest.h>

#include "renderer/images/srgb.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "tests/unit/temp_folder.h"

namespace tl::xyz_loading_tests {
namespace {

using test::refusal;
using test::TempFolder;

class XyzFiles : public testing::Test {
  protected:
    Scene open(const std::string& text, const std::string& name = "a.xyz") const {
        return load_scene(folder.write(name, text));
    }
    std::string said_of(const std::string& text, const std::string& name = "a.xyz") const {
        return refusal([&] { (void)open(text, name); });
    }
    TempFolder folder;
};

/// sRGB in parts of 1, as scenes have it.
vec3 linear(float r, float g, float b) {
    return {linear_from_srgb(r), linear_from_srgb(g), linear_from_srgb(b)};
}

TEST_F(XyzFiles, PointsAreFramedLitSpheres) {
    Scene scene = open("0 0 0\n1 0 0\n0 2 0\n");
    ASSERT_EQ(scene.spheres.size(), 3u);
    EXPECT_EQ(scene.spheres[2].center, vec3(0, 2, 0));
    EXPECT_EQ(scene.spheres[2].color, vec3(1));
    EXPECT_FALSE(scene.lights.empty());
    EXPECT_EQ(scene.camera.up, vec3(0, 0, 1));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.xyz: 3 points are shown as spheres of radius");
}

TEST_F(XyzFiles, LinesMayBeSeparatedAndCommentedInManyWays) {
    for (const char* text :
         {"1 2 3\n4 5 6\n", "1\t2  3 \r\n 4\t5\t6", "1,2,3\r4 , 5 ,6\r", "1;2;3;\n\n4; 5; 6;\n",
          "# x y z\n1 2 3 # first\n// next\n+4 5.0 6e0// second\n", "X, Y, Z\n1,2,3\n4,5,6\n",
          "2\n1 2 3\n4 5 6\n",
          "\xEF\xBB\xBF"
          "1 2 3\n4 5 6\n"}) {
        Scene scene = open(text);
        ASSERT_EQ(scene.spheres.size(), 2u) << text;
        EXPECT_EQ(scene.spheres[0].center, vec3(1, 2, 3)) << text;
        EXPECT_EQ(scene.spheres[1].center, vec3(4, 5, 6)) << text;
        EXPECT_EQ(scene.warnings.size(), 1u) << text;
    }
}

TEST_F(XyzFiles, ColumnsAreIntensityColoursAndNormals) {
    const vec3 red(1, 0, 0), dark = linear(51 / 255.0f, 0, 1);
    struct {
        const char *first, *second;  // columns after x y z
        vec3 color, other;
    } const cases[] = {
        {"10", "30", vec3(0), vec3(1)},                       // intensity
        {"10 7", "30 7", vec3(0), vec3(1)},                   // and a column that is passed over
        {"255 0 0", "51 0 255", red, dark},                   // colours of 8 bits,
        {"65535 0 0", "13107 0 65535", red, dark},            // of 16 bits,
        {"1 0 0", "0.2 0 1", red, dark},                      // and as parts of 1
        {"0 0 -1", "0 1 0", vec3(1), vec3(1)},                // normals
        {"0 0 1", "0.6 0 0.8", vec3(1), vec3(1)},             // also without signs
        {"99 255 0 0", "9 51 0 255", red, dark},              // colours go before intensities
        {"99 0 0 -1", "9 0 0 1", vec3(1), vec3(0)},           // normals do not
        {"99 255 0 0 7", "9 51 0 255 7", red, dark},          // passed over
        {"255 0 0 0 0 1", "51 0 255 0 -1 0", red, dark},      // colours and normals,
        {"0 0 1 255 0 0", "0 -1 0 51 0 255", red, dark},      // in either order,
        {"5 255 0 0 0 0 1", "6 51 0 255 0 -1 0", red, dark},  // after an intensity,
        {"5 255 0 0 0 0 1 8 9", "6 51 0 255 0 -1 0 8 9", red, dark},  // before others
    };
    for (auto& c : cases) {
        Scene scene = open(std::string("0 0 0 ") + c.first + "\n1 1 1 " + c.second + "\n");
        // Points with normals are splats.
        std::vector<vec3> colors;
        for (auto& sphere : scene.spheres) colors.push_back(sphere.color);
        for (auto& splat : scene.splats) colors.push_back(splat.color);
        ASSERT_EQ(colors.size(), 2u) << c.first;
        for (int k = 0; k < 3; ++k) {
            // Tolerance: rounding of a polynomial or power of floats near 1.
            EXPECT_NEAR(colors[0][k], c.color[k], 1e-6f) << c.first;
            EXPECT_NEAR(colors[1][k], c.other[k], 1e-6f) << c.first;
        }
    }
}

TEST(PointClouds, GreysPassOverAFewOutliers) {
    std::vector<float> intensities(100, 10);
    std::fill(intensities.begin() + 50, intensities.end(), 30);
    intensities[7] = 1e30f;
    intensities[8] = -1e30f;
    intensities[9] = 20;
    auto greys = greys_of(intensities);
    EXPECT_EQ(greys[0], vec3(0));
    EXPECT_EQ(greys[99], vec3(1));
    EXPECT_EQ(greys[9], vec3(0.5f));
    EXPECT_EQ(greys[7], vec3(1));
    EXPECT_EQ(greys[8], vec3(0));
    EXPECT_EQ(greys_of(std::vector<float>(3, 5.0f)), std::vector<vec3>(3, vec3(1)));
    EXPECT_TRUE(greys_of({}).empty());
}

TEST_F(XyzFiles, CountsAreCheckedAgainstThePoints) {
    EXPECT_EQ(open("2\n0 0 0\n1 1 1\n", "a.pts").warnings.size(), 1u);
    // Several scans, each with its count.
    Scene scans = open("1\n0 0 0 5\n2\n1 1 1 6\n2 2 2 7\n", "a.pts");
    EXPECT_EQ(scans.spheres.size(), 3u);
    EXPECT_EQ(scans.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(open("3\n0 0 0\n1 1 1\n").warnings.at(0),
                       "a.xyz: counts 3 points, but has 2; it may be cut off");
    TL_EXPECT_CONTAINS(open("1\n0 0 0\n1 1 1\n").warnings.at(0),
                       "a.xyz: counts 1 points, but has 2");
    // A promise takes no memory.
    EXPECT_EQ(open("1000000000\n0 0 0\n").spheres.size(), 1u);
    TL_EXPECT_CONTAINS(said_of("1000000001\n0 0 0\n"), "a.xyz:1: counts more than 1,000,000,000");
    TL_EXPECT_CONTAINS(said_of("2\n0 0 0\n7\n1 1 1\n"), "a.xyz:3: a point needs three numbers");
}

TEST_F(XyzFiles, PointsThatAreNotFiniteAreCountedAndLeftOut) {
    Scene scene = open("0 0 0 5\nnan 0 0 6\n1 1 1 7\n0 -inf 0 8\n0 0 1.#QNAN 9#c\n0 1e999 0 1\n");
    EXPECT_EQ(scene.spheres.size(), 2u);
    EXPECT_EQ(scene.spheres[1].color, vec3(1));
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0],
                       "a.xyz: 4 points without finite coordinates are left out");
    // In other columns they are 0.
    EXPECT_EQ(open("0 0 0 nan\n1 1 1 7\n").spheres[0].color, vec3(0));
    TL_EXPECT_CONTAINS(said_of("nan nan nan\n"), "a.xyz: none of its points has finite");
}

TEST_F(XyzFiles, MapsKeepTheirDetails) {
    Scene scene = open("4512345.25 482300 0\n4512346.25 482300.125 0\n");
    EXPECT_NE(scene.offset, glm::dvec3(0));
    EXPECT_EQ(scene.spheres[1].center - scene.spheres[0].center, vec3(1, 0.125f, 0));
}

TEST_F(XyzFiles, SceneFilesTakeThem) {
    folder.write("part.PTS", "2\n0 0 0 1 200 100 0\n9 9 9 1 100 200 0\n");
    Scene scene = open("[[mesh]]\nfile = \"part.PTS\"\ntranslate = [1, 2, 3]\n", "a.toml");
    ASSERT_EQ(scene.spheres.size(), 2u);
    EXPECT_EQ(scene.spheres[0].center, vec3(1, 2, 3));
}

TEST_F(XyzFiles, BadLinesAreRefusedWithTheirNumber) {
    TL_EXPECT_CONTAINS(said_of("0 0 0\r\n\r\n1 2 three\r\n"),
                       "a.xyz:3: 'three' is not a number; points are lines of x y z");
    TL_EXPECT_CONTAINS(said_of("2\nC 0 0 0\n"), "a.xyz:2: 'C' is not a number");
    TL_EXPECT_CONTAINS(said_of("0 0 0\n1 2\n"), "a.xyz:2: a point needs three numbers, x y z");
    TL_EXPECT_CONTAINS(said_of("0 0 0\n1 2 3 4\n"),
                       "a.xyz:2: has 4 columns, but the first point has 3");
    TL_EXPECT_CONTAINS(said_of("0,0,0\n1,,3\n"), "a.xyz:2: column 2 is empty");
    TL_EXPECT_CONTAINS(said_of("0 0 0\nend\n"), "a.xyz:2: 'end' is not a number");
    TL_EXPECT_CONTAINS(said_of("0 0 0\nx y z\n"), "a.xyz:2: 'x' is not a number");
    TL_EXPECT_CONTAINS(said_of("0 0 0\n0 -2e15 0\n"),
                       "a.xyz:2: y is beyond the largest coordinate, 1e15");
    TL_EXPECT_CONTAINS(said_of("# nothing\n"), "a.xyz: has no points");
    TL_EXPECT_CONTAINS(said_of(""), "a.xyz: ");
}

TEST_F(XyzFiles, EveryPrefixIsReadOrRefused) {
    int n_read = test::read_truncated(folder, "cut.pts", "2\n0 0 0 5 1 2 3\n1 1 1 6 4 5 6\n", 1,
                                      [](auto& path) { (void)load_scene(path); });
    EXPECT_GT(n_read, 0);
}

}  // namespace
}  // namespace tl::xyz_loading_tests
