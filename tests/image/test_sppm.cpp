// Stochastic progressive photon mapping against closed formulas, the path tracer, and the mode with
// one radius for all.
#include <gtest/gtest.h>

#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/photon_pictures.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::sppm_tests {
namespace {

using test::kWider;
using test::mean_of;

std::shared_ptr<Scene> with_settings(std::shared_ptr<Scene> scene, const char* mode,
                                     const char* photons) {
    scene->settings["render"]["renderer"] = "photon";
    auto& settings = scene->settings["photon"];
    settings["mode"] = mode;
    settings["photons"] = test::kSanitized ? "1000" : photons;
    return scene;
}

int samples(int n) {
    return test::kSanitized ? (n + 63) / 64 : n;
}

TEST(Sppm, AGlowingSphereFromWithinAddsUpAllItsReflections) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = with_settings(test::sphere_from_within(0.5f), "sppm", "20000");
        scene->settings["photon"]["max-depth"] = "64";
        vec3 mean = mean_of(test::render_radiance(*device, scene, {48, 48}, samples(32)));
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(mean[c], 1, 0.005 * kWider) << device->name();
    }
}

TEST(Sppm, RadiiShrinkSoFastThatTheKnownIlluminanceComesOut) {
    TL_LONG_TEST();
    // Without shrinking, the first radius, which nearly reaches the walls from (0.5, 0.5), would
    // blur the light.
    for (Device* device : devices()) {
        auto scene = with_settings(test::keldysh_floor(), "sppm", "100000");
        scene->settings["photon"]["max-depth"] = "64";
        scene->settings["photon"]["radius"] = "0.4";
        scene->settings["photon"]["alpha"] = "0.5";
        auto picture = test::render_radiance(*device, scene, {70, 70}, samples(64));
        for (auto [x, z, lux] :
             {std::tuple{0.0, 0.0, 4207.4}, {0.5, 0.0, 3622.6}, {0.5, 0.5, 3236.2}})
            EXPECT_NEAR(test::lux_on_floor(picture, x, z) / lux, 1, 0.005 * kWider)
                << x << ", " << z << " on " << device->name();
    }
}

TEST(Sppm, PixelsThatHardlyFindPhotonsKeepWideRadiiAndAreRight) {
    TL_LONG_TEST();
    // A small alpha soon makes the grid's radius a fraction of that of pixels in the shade, whose
    // photons lie in many cells.
    for (Device* device : devices()) {
        auto mean = [&](const char* mode) {
            auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/caustics.toml")));
            scene->settings["photon"]["alpha"] = "0.1";
            return mean_of(test::render_radiance(*device, with_settings(scene, mode, "5000"),
                                                 {48, 36}, samples(256)));
        };
        vec3 own = mean("sppm"), shared = mean("progressive");
        for (int c = 0; c < 3; ++c)
            // Seeds change the ratio by 0.5 %.
            EXPECT_NEAR(double(own[c]) / double(shared[c]), 1, 0.015 * kWider) << device->name();
    }
}

/// The map of radii, m, after some passes.
std::vector<double> radii_of(Device& device, const std::shared_ptr<Scene>& scene, Extent extent,
                             int n_passes) {
    scene->settings["photon"]["show"] = "radius";
    Session session(device);
    session.set_scene(scene);
    session.resize(extent);
    for (int i = 0; i < n_passes; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    std::vector<double> radii;
    for (int i = 0; i < extent.pixels(); ++i)
        radii.push_back(double(session.renderer().false_color()->value(
            session.stream(), i % extent.width, i / extent.width)));
    return radii;
}

TEST(Sppm, RadiiShrinkByThePhotonsThatPixelsFind) {
    // Within a sphere photons are distributed evenly. A pixel finds about the density times the
    // area of its disc, keeps the fraction alpha of them, and its area shrinks like their number.
    constexpr double kAlpha = 0.6;
    constexpr int kPasses = 6;
    for (Device* device : devices()) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {test::diffuse(0.5f)};
        scene->spheres = {{{0, 0, 0}, 1, 0}};
        scene->lights = {test::point_light(vec3(0), 1)};
        scene->camera = {{0.5f, -0.5f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
        with_settings(scene, "sppm", "20000");
        auto& settings = scene->settings["photon"];
        settings["radius"] = "0.3";
        settings["alpha"] = "0.6";
        settings["max-depth"] = "2";
        // Each photon that survives the first surface, a half of them, is stored at the second one.
        double density = (test::kSanitized ? 500 : 10'000) / (4 * double(kPi));
        double square = 0.09, kept = 0;
        for (int pass = 1; pass < kPasses; ++pass) {  // the map shows the newest pass's radius
            double found = density * double(kPi) * square;
            square *= (kept + kAlpha * found) / (kept + found);
            kept += kAlpha * found;
        }
        double mean = 0;
        for (double radius : radii_of(*device, scene, {16, 16}, kPasses)) {
            EXPECT_NEAR(radius * radius / square, 1, 0.1 * kWider) << device->name();
            mean += radius * radius / 256;
        }
        EXPECT_NEAR(mean / square, 1, 0.01 * kWider) << device->name();
    }
}

TEST(Sppm, PhotonsOnTheOtherSideOfASheetDoNotShrinkRadii) {
    // A room whose floor is a sheet; below it all is dark.
    for (Device* device : devices()) {
        auto radius_from = [&](float height) {
            auto scene = std::make_shared<Scene>();
            scene->materials = {test::diffuse(0.8f)};
            scene->meshes.emplace_back();
            add_box(scene->meshes[0], {-1, 0, -1}, {1, 1, 1}, 0);
            scene->lights = {test::point_light({0, 0.7f, 0}, 1)};
            scene->camera = {{0.001f, height, 0}, vec3(0), {0, 0, 1}, 40};
            with_settings(scene, "sppm", "20000");
            scene->settings["photon"]["radius"] = "0.2";
            auto radii = radii_of(*device, scene, {8, 8}, 4);
            auto [least, most] = std::minmax_element(radii.begin(), radii.end());
            EXPECT_LT(*most, 0.2001) << height;
            return std::pair(*least, *most);
        };
        EXPECT_LT(radius_from(0.5f).second, 0.19) << device->name();
        EXPECT_GT(radius_from(-0.5f).first, 0.1999) << device->name();
    }
}

TEST(Sppm, TheCornellBoxIsThatOfThePathTracer) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    for (Device* device : devices()) {
        auto scene =
            std::make_shared<Scene>(load_scene(source_path("scenes/cornell-box-original.toml")));
        scene->settings["path"]["max-depth"] = "8";
        scene->settings["photon"]["max-depth"] = "8";
        auto found =
            test::render_radiance(*device, with_settings(scene, "sppm", "50000"), {32, 32}, 256);
        scene->settings["render"]["renderer"] = "path";
        auto reference = test::render_radiance(*device, scene, {32, 32}, 2048);
        vec3 a = mean_of(found), b = mean_of(reference);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(double(a[c]) / double(b[c]), 1, 0.01) << device->name();
        double square = 0;
        for (vec3 rgb : reference.rgb) square += glm::dot(glm::dvec3(rgb), glm::dvec3(rgb));
        square /= 3.0 * double(reference.rgb.size());
        EXPECT_LT(mean_squared_error(reference, found) / square, 1e-3) << device->name();
    }
}

TEST(Sppm, ASeedGivesTheSameBits) {
    for (Device* device : devices()) {
        auto image = [&] {
            auto scene = std::make_shared<Scene>(load_scene(source_path("scenes/caustics.toml")));
            return test::render_radiance(*device, with_settings(scene, "sppm", "30000"), {48, 36},
                                         4)
                .rgb;
        };
        EXPECT_EQ(image(), image()) << device->name();
    }
}

}  // namespace
}  // namespace tl::sppm_tests
