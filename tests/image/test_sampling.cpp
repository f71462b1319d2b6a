// Sampling of pictures: pixel filters, sample patterns, and adaptive sampling.
#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/scene/loaders/loader.h"
#include "renderer/shading/pixel_filter.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::sampling_tests {
namespace {

using test::half_plane_scene;
using test::render_radiance;

/// Integral of a filter left of x in [-1, 1], by its formula.
double filter_below(PixelFilter filter, double x) {
    double t = (x + 1) / 2;
    if (filter == PixelFilter::box) return t;
    if (filter == PixelFilter::tent)
        return x < 0 ? (1 + x) * (1 + x) / 2 : 1 - (1 - x) * (1 - x) / 2;
    constexpr double a[] = {0.35875, 0.48829, 0.14128, 0.01168}, tau = 2 * 3.14159265358979;
    return t - (a[1] * std::sin(tau * t) - a[2] / 2 * std::sin(2 * tau * t) +
                a[3] / 3 * std::sin(3 * tau * t)) /
                   (tau * a[0]);
}

constexpr std::pair<PixelFilter, const char*> kFilters[] = {
    {PixelFilter::box, "box"},
    {PixelFilter::tent, "tent"},
    {PixelFilter::blackman_harris, "blackman-harris"}};

std::shared_ptr<Scene> cornell_box(const std::string& error) {
    auto scene = load_scene(source_path("scenes/cornell-box.toml"));
    scene.settings["sampling"]["error"] = error;
    return std::make_shared<Scene>(std::move(scene));
}

/// The displayed value, 0 to 1.
vec3 displayed(vec3 radiance) {
    return glm::sqrt(glm::min(radiance, vec3(1)));
}

float displayed_error(vec3 a, vec3 b) {
    vec3 d = glm::abs(displayed(a) - displayed(b));
    return std::max({d.x, d.y, d.z});
}

TEST(PixelFilter, SamplesHaveTheFiltersDensity) {
    for (auto [filter, name] : kFilters)
        for (int i = 0; i < 4096; ++i) {
            float u = (float(i) + 0.5f) / 4096, x = sample_filter(filter, u);
            ASSERT_LE(std::abs(x), 1) << name;
            ASSERT_NEAR(filter_below(filter, double(x)), double(u), 2.5e-4) << name;
        }
    for (auto [filter, name] : kFilters)
        for (float u : {0.0f, 0x1p-24f, 0.5f, 1 - 0x1p-24f})
            EXPECT_LE(std::abs(sample_filter(filter, u)), 1) << name;
}

TEST(PixelFilter, AnEdgeIsAsSoftAsTheFilterSays) {
    constexpr Extent kExtent{32, 32};
    for (Device* device : devices())
        for (auto [filter, name] : kFilters) {
            auto scene = half_plane_scene();
            scene->settings["sampling"] = {{"filter", name}, {"filter-radius", "3"}};
            auto image = render_radiance(*device, scene, kExtent, 64);
            for (int x = 0; x < kExtent.width; ++x) {
                double mean = 0;
                for (int y = 0; y < kExtent.height; ++y)
                    mean += double(image.rgb[std::size_t(y * kExtent.width + x)].x) / 32;
                double to_edge = (16 - (x + 0.5)) / 3;
                double expected = 1 - filter_below(filter, std::clamp(to_edge, -1.0, 1.0));
                EXPECT_NEAR(mean, expected, 3e-3) << device->name() << " " << name << " " << x;
            }
        }
}

TEST(Sampling, SoftShadowsHaveLessNoiseThanWithRandomNumbers) {
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    constexpr Extent kExtent{64, 48};
    Device& device = *devices().front();
    auto scene = load_scene(source_path("scenes/cornell-box.toml"));
    auto render = [&](const char* pattern, int spp) {
        scene.settings["sampling"]["pattern"] = pattern;
        return render_radiance(device, std::make_shared<Scene>(scene), kExtent, spp);
    };
    auto reference = render("sobol", 2048);
    // The median over pixels: a few that rarely see the lamp through glass dominate the mean.
    auto error = [&](const ImageF& image) {
        std::vector<double> errors;
        for (std::size_t i = 0; i < image.rgb.size(); ++i) {
            glm::dvec3 d = displayed(image.rgb[i]) - displayed(reference.rgb[i]);
            errors.push_back(glm::dot(d, d));
        }
        auto middle = errors.begin() + std::ptrdiff_t(errors.size() / 2);
        std::nth_element(errors.begin(), middle, errors.end());
        return *middle;
    };
    double random = error(render("random", 64));
    EXPECT_LT(error(render("sobol", 64)), random / 20);
    // Both converge to the same picture.
    EXPECT_LT(error(render("random", 1024)), random / 10);
}

TEST(Adaptive, PixelsStopWhereTheirErrorIsSmall) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "compares noise, which takes many samples";
    constexpr Extent kExtent{80, 60};
    constexpr float kError = 0.01f;
    auto reference = render_radiance(*devices().front(), cornell_box("0"), kExtent, 4096);
    for (Device* device : devices())
        for (std::string pipeline : {"single-kernel", "wavefront", "post-order", "by-level"}) {
            auto scene = std::make_shared<Scene>(*cornell_box("0.01"));
            scene->settings["whitted"]["pipeline"] = pipeline;
            Session session(*device);
            session.set_scene(scene);
            session.resize(kExtent);
            int n_frames = 0;
            for (; n_frames < 2048 && !session.finished(); ++n_frames) {
                session.begin_frame();
                session.render_frame();
                session.end_frame();
                session.stream().synchronize();
            }
            std::string name = device->name() + " " + pipeline;
            EXPECT_LT(n_frames, 2048) << name;
            EXPECT_EQ(session.inspection().unfinished_pixels(), 0u) << name;
            // Most pixels need few samples: the picture needs far fewer than with uniform sampling.
            EXPECT_LT(session.film().mean_samples(session.stream()), 0.5f * float(n_frames))
                << name;
            EXPECT_EQ(session.film().rays_of_frame(session.scratch()) == 0, n_frames % 8 != 0)
                << name;
            auto image = session.film().radiance(session.stream());
            std::size_t n_off = 0, n_far_off = 0;
            for (std::size_t i = 0; i < image.rgb.size(); ++i) {
                float error = displayed_error(image.rgb[i], reference.rgb[i]);
                n_off += error > kError;
                n_far_off += error > 4 * kError;
            }
            EXPECT_LT(n_off, image.rgb.size() / 20) << name;
            EXPECT_LT(n_far_off, image.rgb.size() / 200) << name;
        }
}

TEST(Adaptive, APictureWithoutNoiseIsDoneAtTheFirstLook) {
    for (Device* device : devices()) {
        auto scene = half_plane_scene();
        scene->settings["sampling"]["error"] = "0.001";
        scene->camera.target = {1, 0, -1};  // only the bright plane is visible
        scene->camera.vertical_fov = 10;
        Session session(*device);
        session.set_scene(scene);
        session.resize({16, 16});
        int n_frames = 0;
        for (; n_frames < 100 && !session.finished(); ++n_frames) {
            session.render_frame();
            session.stream().synchronize();
        }
        EXPECT_EQ(n_frames, int(SamplingConfig::kFirstLook)) << device->name();
        // Moving the camera clears the film.
        session.camera.eye.y = 0.01f;
        session.render_frame();
        EXPECT_FALSE(session.finished());
        EXPECT_EQ(session.film().mean_samples(session.stream()), 1);
    }
}

}  // namespace
}  // namespace tl::sampling_tests
