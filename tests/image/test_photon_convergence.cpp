// Convergence of the photon mapper: its noise and blur fall with samples and radius at the
// theoretical rates (Knaus & Zwicker 2011).
#include <gtest/gtest.h>

#include <array>

#include "renderer/images/metrics.h"
#include "renderer/photon/gather/photon_radius.h"
#include "tests/image/photon_pictures.h"
#include "tests/long_test.h"

namespace tl::photon_convergence_tests {
namespace {

using test::add_parallelogram;
using test::camera_over;
using test::colored_cube;
using test::diffuse;
using test::even_spot;
using test::kPiD;
using test::kWider;
using test::mean_of;
using test::render;
using test::with_photons;

/// The slope of log(y) over log(x) by least squares.
double slope_of(const std::vector<double>& x, const std::vector<double>& y) {
    auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mean_x += std::log(x[i]) / n;
        mean_y += std::log(y[i]) / n;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        double dx = std::log(x[i]) - mean_x;
        xy += dx * (std::log(y[i]) - mean_y);
        xx += dx * dx;
    }
    return xy / xx;
}

/// Middle of a picture of 24 x 24 pixels, where the surface extends beyond the radius.
ImageF middle_of(const ImageF& image) {
    ImageF middle;
    middle.extent = {12, 12};
    for (int i = 0; i < 144; ++i)
        middle.rgb.push_back(image.rgb[std::size_t((6 + i / 12) * 24 + 6 + i % 12)]);
    return middle;
}

constexpr int kRuns = 12;
constexpr int kPasses[] = {2, 8, 32, 128, 256};

/// Pictures of a cube's face after each number of passes, from independent runs.
using Runs = std::vector<std::array<ImageF, std::size(kPasses)>>;

Runs independent_runs(Device& device, const char* renderer, const char* alpha = "1") {
    auto scene = colored_cube(0);
    scene->settings["render"]["renderer"] = renderer;
    scene->settings["sampling"]["pattern"] = "random";
    scene->settings["photon"]["radius"] = "0.4";
    scene->settings["photon"]["alpha"] = alpha;
    (void)with_photons(scene, "400");
    Runs runs;
    for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
        Session session(device);
        session.set_scene(scene);
        session.resize({24, 24});
        session.seed = seed;
        auto& pictures = runs.emplace_back();
        int n = 0;
        for (std::size_t k = 0; k < std::size(kPasses); ++k) {
            for (; n < kPasses[k]; ++n) {
                session.begin_frame();
                session.render_frame();
                session.end_frame();
            }
            pictures[k] = middle_of(session.film().radiance(session.stream()));
        }
    }
    return runs;
}

/// The variance of a pixel between the runs, for each number of passes.
std::vector<double> variances(const Runs& runs) {
    std::vector<double> all;
    for (std::size_t k = 0; k < std::size(kPasses); ++k) {
        ImageF mean = runs[0][k];
        for (auto& rgb : mean.rgb) rgb = vec3(0);
        for (auto& run : runs)
            for (std::size_t i = 0; i < mean.rgb.size(); ++i)
                mean.rgb[i] += run[k].rgb[i] / float(kRuns);
        double sum = 0;
        for (auto& run : runs) sum += mean_squared_error(mean, run[k]) / (kRuns - 1);
        all.push_back(sum);
    }
    return all;
}

TEST(PhotonConvergence, NoiseFallsAsTheRadiusLetsIt) {
    TL_LONG_TEST();
    // The variance of n passes falls as n^(-alpha).
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    std::vector<double> passes(std::begin(kPasses), std::end(kPasses));
    for (Device* device : devices())
        for (auto [text, alpha] : {std::pair{"0.5", 0.5}, {"0.9", 0.9}})
            EXPECT_NEAR(slope_of(passes, variances(independent_runs(*device, "photon", text))),
                        -alpha, 0.08)
                << device->name();
}

TEST(PhotonConvergence, PathsFallAsTheirNumber) {
    TL_LONG_TEST();
    // Baseline for the photon mapper's slopes: without a radius, the variance of n samples falls as
    // 1 / n.
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    std::vector<double> passes(std::begin(kPasses), std::end(kPasses));
    for (Device* device : devices())
        EXPECT_NEAR(slope_of(passes, variances(independent_runs(*device, "path"))), -1, 0.05)
            << device->name();
}

TEST(PhotonConvergence, TheErrorFallsFastestWithItsDefault) {
    TL_LONG_TEST();
    // For alpha 2/3, noise and blur together fall as n^(-2/3).
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    std::vector<double> passes(std::begin(kPasses), std::end(kPasses));
    for (Device* device : devices()) {
        auto reference = middle_of(render(*device, *colored_cube(0), "path", {24, 24}, 4096));
        auto runs = independent_runs(*device, "photon", "0.6666667");
        EXPECT_NEAR(slope_of(passes, variances(runs)), -2.0 / 3, 0.08) << device->name();
        std::vector<double> errors;
        for (std::size_t k = 0; k < std::size(kPasses); ++k) {
            errors.push_back(0);
            for (auto& run : runs) errors[k] += mean_squared_error(reference, run[k]) / kRuns;
        }
        EXPECT_NEAR(slope_of(passes, errors), -2.0 / 3, 0.08) << device->name();
    }
}

TEST(PhotonConvergence, TheMeanOfAllRadiiShrinksAsTheBlurShould) {
    // Blur is proportional to the square of the radius. Its mean over n passes falls as n^(alpha -
    // 1).
    for (float alpha : {0.5f, 2.0f / 3, 0.9f}) {
        PhotonConfig config;
        config.radius = 1;
        config.alpha = alpha;
        std::vector<double> n, means;
        double sum = 0;
        for (std::uint32_t pass = 0; pass < 100'000; ++pass) {
            auto radius = double(radius_of_pass(config, {}, pass));
            sum += radius * radius;
            if (pass + 1 != 1000 && pass + 1 != 100'000) continue;
            n.push_back(pass + 1);
            means.push_back(sum / (pass + 1));
        }
        EXPECT_NEAR(slope_of(n, means), double(alpha) - 1, 0.01) << alpha;
    }
}

TEST(PhotonConvergence, BlurFallsWithTheSquareOfTheRadius) {
    TL_LONG_TEST();
    // A spot light shines up at a mirror, and lights the floor as if from its image behind the
    // mirror, 1.5 m above the floor. The irradiance 1.5 / (1.5^2 + x^2)^(3/2) is blurred by the
    // kernel.
    constexpr float kDark = 0.001f;  // the floor must not light itself by way of the mirror
    auto scene = std::make_shared<Scene>();
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    scene->materials = {diffuse(kDark), mirror};
    Mesh room;
    add_parallelogram(room, {-3, 0, -3}, {0, 0, 6}, {6, 0, 0}, 0);
    add_parallelogram(room, {-3, 1, -3}, {6, 0, 0}, {0, 0, 6}, 1);
    scene->meshes = {room};
    scene->lights = {even_spot({0, 0.5f, 0}, {0, 1, 0})};
    scene->camera = camera_over({0, 0.25f, 0}, 0.01f);
    auto irradiance = [](double x) { return 1.5 * std::pow(2.25 + x * x, -1.5); };
    auto blurred = [&](double radius) {
        double sum = 0;
        constexpr int kRings = 1000;
        for (int i = 0; i < kRings; ++i) {
            double t = (i + 0.5) / kRings;
            sum += 2 / kPiD * (1 - t * t) * irradiance(t * radius) * 2 * kPiD * t / kRings;
        }
        return sum;
    };
    scene->settings["photon"]["alpha"] = "1";
    scene->settings["photon"]["caustic-radius"] = "1";
    for (Device* device : devices()) {
        std::vector<double> radii{0.2, 0.4, 0.8}, blur;
        for (double radius : radii) {
            scene->settings["photon"]["radius"] = std::to_string(radius);
            auto picture = render(*device, with_photons(scene, "50000"), "photon", {4, 4}, 32);
            double seen = double(mean_of(picture).x) * kPiD / double(kDark);
            EXPECT_NEAR(seen / blurred(radius), 1, 0.003 * kWider)
                << radius << " on " << device->name();
            blur.push_back(1 - seen / irradiance(0));
        }
        if (test::kSanitized) continue;
        EXPECT_NEAR(blur[1] / blur[0], 4, 0.6) << device->name();
    }
}

}  // namespace
}  // namespace tl::photon_convergence_tests
