// Files of 3D Gaussian splatting: interpretation of their numbers, omitted Gaussians, and refused
// files.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/gtc/packing.hpp>
#include <random>

#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::ply_gaussians_tests {
namespace {

using test::TempFolder;

/// The text of a file with these rows: x y z, f_dc, f_rest, opacity, scale, rot.
std::string file_of(int n_rest, const std::vector<std::string>& rows) {
    std::string text = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(rows.size()) +
                       "\nproperty float x\nproperty float y\nproperty float z\n";
    auto property = [&](const std::string& name) { text += "property float " + name + "\n"; };
    for (int k = 0; k < 3; ++k) property("f_dc_" + std::to_string(k));
    for (int k = 0; k < n_rest; ++k) property("f_rest_" + std::to_string(k));
    property("opacity");
    for (int k = 0; k < 3; ++k) property("scale_" + std::to_string(k));
    for (int k = 0; k < 4; ++k) property("rot_" + std::to_string(k));
    text += "end_header\n";
    for (auto& row : rows) text += row + "\n";
    return text;
}

Scene opened(const std::string& text) {
    TempFolder folder;
    return load_scene(folder.write("cloud.ply", text));
}

TEST(PlyGaussians, NumbersAreTakenAsTheirProgramsWriteThem) {
    // Half a turn about z maps the long axis x onto itself; a quarter turn would map it onto y.
    auto scene = opened(file_of(0, {"1 2 3  0.5 -0.25 1  0  0 -1 -2  1 0 0 1"}));
    ASSERT_EQ(scene.gaussians.size(), 1u);
    auto& set = scene.gaussians[0];
    ASSERT_EQ(set.size(), 1u);
    EXPECT_EQ(set.centers[0], vec3(1, 2, 3));
    EXPECT_FLOAT_EQ(set.opacities[0], 0.5f);
    EXPECT_EQ(set.degree, 0);
    auto& c = set.covariances[0];
    // (1, 0, 0, 1) is a quarter turn about z: deviations e^0, e^-1 and e^-2 lie along y, x and z.
    EXPECT_NEAR(c.yy, 1, 1e-6);
    EXPECT_NEAR(c.xx, std::exp(-2.0), 1e-6);
    EXPECT_NEAR(c.zz, std::exp(-4.0), 1e-6);
    EXPECT_NEAR(c.xy, 0, 1e-6);
    ASSERT_EQ(set.harmonics.size(), 3u);
    EXPECT_EQ(glm::unpackHalf1x16(set.harmonics[1]), -0.25f);
    EXPECT_EQ(scene.settings["render"]["renderer"], "path");
    EXPECT_LT(scene.camera.up.y, 0);
    EXPECT_TRUE(scene.meshes.empty() && scene.spheres.empty());
}

TEST(PlyGaussians, HigherDegreesFollowChannelByChannel) {
    for (auto [degree, n_rest] : {std::pair{1, 9}, {2, 24}, {3, 45}}) {
        std::string rest;
        for (int k = 0; k < n_rest; ++k) rest += std::to_string(k) + " ";
        auto scene = opened(file_of(n_rest, {"0 0 0 100 200 300 " + rest + "0 0 0 0 1 0 0 0"}));
        auto& set = scene.gaussians.at(0);
        EXPECT_EQ(set.degree, degree);
        std::size_t n = std::size_t((degree + 1) * (degree + 1));
        ASSERT_EQ(set.harmonics.size(), 3 * n);
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(glm::unpackHalf1x16(set.harmonics[c * n]), float(100 * (c + 1)));
            for (std::size_t k = 1; k < n; ++k)
                EXPECT_EQ(glm::unpackHalf1x16(set.harmonics[c * n + k]),
                          float(c * (n - 1) + k - 1));
        }
    }
}

/// The text of a file of one Gaussian whose higher degrees are properties of these names.
std::string file_with(const std::vector<std::string>& names) {
    std::string text = file_of(0, {"0 0 0 0 0 0 0 0 0 0 1 0 0 0"});
    std::string properties, zeros;
    for (auto& name : names) {
        properties += "property float " + name + "\n";
        zeros += " 0";
    }
    text.insert(text.find("end_header"), properties);
    return text.insert(text.size() - 1, zeros);
}

TEST(PlyGaussians, HarmonicsOfOtherDegreesOrWithGapsAreRefused) {
    auto counted = [](int n) {
        std::vector<std::string> names;
        for (int k = 0; k < n; ++k) names.push_back("f_rest_" + std::to_string(k));
        return names;
    };
    auto said_of = [](const std::vector<std::string>& names) {
        return test::refusal([&] { (void)opened(file_with(names)); });
    };
    for (int n : {0, 9, 24, 45}) EXPECT_EQ(said_of(counted(n)), "") << n;
    TL_EXPECT_CONTAINS(said_of(counted(72)),
                       "cloud.ply:3: Gaussians have 72 numbers f_rest of their colours, which are "
                       "spherical harmonics of degree 4; 0, 9, 24 or 45 are known");
    for (int n : {1, 8, 10, 15, 23, 44, 46, 71, 105})
        TL_EXPECT_CONTAINS(said_of(counted(n)), "have " + std::to_string(n) + " numbers f_rest");
    auto gap = counted(46);
    gap.erase(gap.begin() + 7);
    TL_EXPECT_CONTAINS(said_of(gap),
                       "have 45 numbers f_rest of their colours, 'f_rest_45' among "
                       "them, but no f_rest_7;");
    auto twice = counted(9);
    twice[4] = "f_rest_5";
    TL_EXPECT_CONTAINS(said_of(twice),
                       "have 9 numbers f_rest of their colours, 'f_rest_5' among "
                       "them, but no f_rest_4;");
    auto odd = counted(9);
    odd[8] = "f_rest_8b";
    TL_EXPECT_CONTAINS(said_of(odd), "'f_rest_8b' among them, but no f_rest_8;");
    // In any order they are whole.
    auto mixed = counted(9);
    std::swap(mixed[0], mixed[8]);
    EXPECT_EQ(said_of(mixed), "");
}

TEST(PlyGaussians, OpaqueOnesAndThoseWithoutThicknessAreKept) {
    auto scene = opened(file_of(0, {"0 0 0 0 0 0  inf  0 0 -inf  1 0 0 0",  //
                                    "0 0 0 0 0 0  -inf  0 0 0  1 0 0 0",    // not there
                                    "0 0 0 0 0 0  nan  0 0 0  1 0 0 0",     //
                                    "0 0 0 0 0 0  0  0 0 inf  1 0 0 0"}));
    ASSERT_EQ(scene.gaussians.at(0).size(), 1u);
    EXPECT_EQ(scene.gaussians[0].opacities[0], 1.0f);
    EXPECT_LT(scene.gaussians[0].covariances[0].zz, 2e-6f);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "2 Gaussians without a position or a size");
}

TEST(PlyGaussians, WhatCannotBeSeenIsLeftOut) {
    auto scene = opened(file_of(0, {"0 0 0 0 0 0  0  0 0 0  1 0 0 0",     //
                                    "nan 0 0 0 0 0  0  0 0 0  1 0 0 0",   //
                                    "0 0 0 0 0 0  -9  0 0 0  1 0 0 0",    // fainter than 1 / 255
                                    "0 0 0 0 0 0  0  0 0 90  1 0 0 0",    // larger than the world
                                    "0 0 0 0 0 0  0  0 0 0  0 0 0 0"}));  // not turned in any way
    EXPECT_EQ(scene.gaussians.at(0).size(), 1u);
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings.at(0).find("3 Gaussians"), std::string::npos) << scene.warnings.at(0);
}

TEST(PlyGaussians, FilesThatAreNoneAreRefused) {
    for (auto [text, what] :
         {std::pair{file_of(7, {}), "has no vertices"},
          {file_of(7, {"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0"}), "7 numbers f_rest"},
          {file_of(0, {"0 0 0 0 0 0  -9  0 0 0  1 0 0 0"}), "too faint"}}) {
        try {
            (void)opened(text);
            ADD_FAILURE() << what;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    }
}

TEST(PlyGaussians, ASceneFilePlacesThemAndMayTakeThemAsPoints) {
    TempFolder folder;
    folder.write("cloud.ply", file_of(0, {"1 0 0 0 0 0  2  -3 -3 -3  1 0 0 0",
                                          "2 0 0 0 0 0  2  -3 -3 -3  1 0 0 0"}));
    folder.write(
        "scene.toml",
        "[[mesh]]\nfile = \"cloud.ply\"\nscale = 2\ntranslate = [0, 5, 0]\nshadowed = 0.25\n"
        "[[mesh]]\nfile = \"cloud.ply\"\ngaussians = false\n");
    auto scene = load_scene(folder.path("scene.toml"));
    ASSERT_EQ(scene.gaussians.size(), 1u);
    EXPECT_EQ(scene.gaussians[0].centers.at(1), vec3(4, 5, 0));
    EXPECT_NEAR(scene.gaussians[0].covariances.at(0).xx, 4 * std::exp(-6.0), 1e-6);
    EXPECT_EQ(scene.gaussians[0].shadowed, 0.25f);
    EXPECT_EQ(scene.splats.size(), 2u);
}

TEST(GaussianCovariance, HasTheInverseOfItsShape) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int i = 0; i < 200; ++i) {
        vec4 quaternion(uniform(engine), uniform(engine), uniform(engine), uniform(engine));
        vec3 deviations;
        for (int k = 0; k < 3; ++k) deviations[k] = std::exp(2 * uniform(engine));
        auto covariance = GaussianCovariance::of(deviations, quaternion);
        auto shape = covariance.shape();
        glm::dmat3 a(shape.xx, shape.xy, shape.xz, shape.xy, shape.yy, shape.yz, shape.xz, shape.yz,
                     shape.zz);
        auto& c = covariance;
        glm::dmat3 product = a * glm::dmat3(c.xx, c.xy, c.xz, c.xy, c.yy, c.yz, c.xz, c.yz, c.zz);
        // Deviations differ by e^4 at most: floats of the entries lose four of their digits.
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) EXPECT_NEAR(product[k][l], k == l, 1e-2);
        GaussianSet set;
        set.centers = {vec3(0)};
        set.covariances = {covariance};
        set.opacities = {1};
        float reach = std::sqrt(2 * std::log(255.0f));
        vec3 half = set.box(0).hi;
        EXPECT_GE(half.x, reach * std::min({deviations.x, deviations.y, deviations.z}) * 0.999f);
        EXPECT_LE(half.x, reach * std::max({deviations.x, deviations.y, deviations.z}) * 1.001f);
    }
    // A disc without thickness has an inverse as well.
    EXPECT_GT(GaussianCovariance::of({1, 1, 0}, {1, 0, 0, 0}).shape().zz, 1e5f);
}

}  // namespace
}  // namespace tl::ply_gaussians_tests
