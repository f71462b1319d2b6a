// Stochastic progressive photon mapping against closed formulas, the path tracer, and the mode with
// one radius for all.
#include <gtest/gtest.h>

#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/sanitized.h"

namespace tl::sppm_tests {
namespace {

using test::mean_of;

/// How much wider tolerances are under sanitizers, which get a pass or few.
constexpr double kWider = test::kSanitized ? 100 : 1;

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
    for (Device* device : devices()) {
        auto scene = with_settings(test::sphere_from_within(0.5f), "sppm", "20000");
        scene->settings["photon"]["max-depth"] = "64";
        vec3 mean = mean_of(test::render_radiance(*device, scene, {48, 48}, samples(32)));
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(mean[c], 1, 0.005 * kWider) << device->name();
    }
}

TEST(Sppm, RadiiShrinkSoFastThatTheKnownIlluminanceComesOut) {
    for (Device* device : devices()) {
        auto scene = with_settings(test::keldysh_cube({0.5f, 0.5f}), "sppm", "100000");
        scene->settings["photon"]["max-depth"] = "64";
        scene->settings["photon"]["radius"] = "0.4";
        scene->settings["photon"]["alpha"] = "0.5";
        double lux =
            double(mean_of(test::render_radiance(*device, scene, {16, 16}, samples(64))).x) *
            3.14159265358979 * 1.5;
        EXPECT_NEAR(lux / 3236.2, 1, 0.01 * kWider) << device->name();
    }
}

TEST(Sppm, PixelsThatHardlyFindPhotonsKeepWideRadiiAndAreRight) {
    // With a small alpha the grid's radius soon is a fraction of that of pixels in the shade, whose
    // photons lie in many cells.
    for (Device* device : devices()) {
        auto mean = [&](const char* mode) {
            auto scene = std::make_shared<Scene>(load_scene(TL_SOURCE_DIR "/scenes/caustics.toml"));
            scene->settings["photon"]["alpha"] = "0.1";
            return mean_of(test::render_radiance(*device, with_settings(scene, mode, "5000"),
                                                 {48, 36}, samples(256)));
        };
        vec3 own = mean("sppm"), shared = mean("progressive");
        for (int c = 0; c < 3; ++c)
            // From seed to seed the quotient differs by 0.5 %.
            EXPECT_NEAR(double(own[c]) / double(shared[c]), 1, 0.015 * kWider) << device->name();
    }
}

TEST(Sppm, TheCornellBoxIsThatOfThePathTracer) {
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    for (Device* device : devices()) {
        auto scene =
            std::make_shared<Scene>(load_scene(TL_SOURCE_DIR "/scenes/cornell-box-original.toml"));
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
            auto scene = std::make_shared<Scene>(load_scene(TL_SOURCE_DIR "/scenes/caustics.toml"));
            return test::render_radiance(*device, with_settings(scene, "sppm", "30000"), {48, 36},
                                         4)
                .rgb;
        };
        EXPECT_EQ(image(), image()) << device->name();
    }
}

}  // namespace
}  // namespace tl::sppm_tests
