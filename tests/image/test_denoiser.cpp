// The denoiser brings pictures of few samples closer to those of many. It keeps edges and textures,
// changes nothing that has no noise, and adds no structure.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "core/device/registry.h"
#include "renderer/denoise/denoise_kernels.h"
#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::denoiser_tests {
namespace {

constexpr Extent kExtent{120, 90};

void add_samples(Session& session, int n, std::optional<DenoiseWhen> denoise = {}) {
    for (int i = 0; i < n; ++i) {
        session.begin_frame();
        session.render_frame();
        if (denoise) session.display().denoise(*denoise);
        session.end_frame();
    }
}

std::unique_ptr<Session> rendered(Device& device, Scene scene, int spp, Extent extent = kExtent) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(std::move(scene)));
    session->resize(extent);
    add_samples(*session, spp);
    return session;
}

Scene path_scene(const std::string& name) {
    Scene scene = load_scene(source_path("scenes/") + name);
    scene.settings["render"]["renderer"] = "path";
    return scene;
}

ImageF shown(Session& session, const std::string& denoise) {
    session.settings().set("film", "biased-denoise", denoise);
    return radiance_of(session.stream(), session.display().shown_film());
}

TEST(Denoiser, BringsFewSamplesCloserToMany) {
    TL_LONG_TEST();
    constexpr int kMany = test::kSanitized ? 16 : 64;
    for (auto* name : {"cornell-box.toml", "cornell-box-original.toml", "atrium.toml"}) {
        if (test::kSanitized && std::string(name) == "atrium.toml") continue;  // takes long
        ImageF reference = shown(*rendered(*devices().front(), path_scene(name), kMany), "false");
        for (Device* device : devices()) {
            auto session = rendered(*device, path_scene(name), 4);
            double noisy = relative_squared_errors(reference, shown(*session, "false")).mean();
            double smooth = relative_squared_errors(reference, shown(*session, "true")).mean();
            RecordProperty(std::string(name) + " noisy", std::to_string(noisy));
            RecordProperty(std::string(name) + " smooth", std::to_string(smooth));
            // A reference of few samples is itself noisy.
            EXPECT_LT(smooth, (test::kSanitized ? 2 : 0.5) * noisy)
                << name << " on " << device->name();
        }
    }
}

TEST(Denoiser, LeavesAPictureWithoutNoiseAsItIs) {
    TL_LONG_TEST();
    // One sample through a pixel's centre: the edge of the half plane stays sharp.
    auto scene = test::half_plane_scene();
    for (Device* device : devices()) {
        auto session = rendered(*device, *scene, 1);
        ImageF before = shown(*session, "false"), after = shown(*session, "true");
        for (std::size_t i = 0; i < before.rgb.size(); ++i)
            EXPECT_NEAR(before.rgb[i].x, after.rgb[i].x, 1e-5f) << i;
    }
}

TEST(Denoiser, ChangesLessTheMoreSamplesThereAre) {
    TL_LONG_TEST();
    Scene scene = path_scene("cornell-box.toml");
    Device& device = *devices().front();
    double last = kInfinity;
    for (int spp : {4, 32, test::kSanitized ? 64 : 256}) {
        auto session = rendered(device, scene, spp);
        ImageF before = shown(*session, "false");
        double change = relative_squared_errors(before, shown(*session, "true")).mean();
        EXPECT_LT(change, last) << spp;
        last = change;
    }
}

TEST(Denoiser, IsOffUnlessAskedForAndNeverForFalseColours) {
    TL_LONG_TEST();
    Scene scene = path_scene("cornell-box.toml");
    Device& device = *devices().front();
    auto session = rendered(device, scene, 1);
    EXPECT_EQ(session->display().shown_film().radiance_sum, session->film().view().radiance_sum);
    session->settings().set("film", "biased-denoise", "true");
    EXPECT_NE(session->display().shown_film().radiance_sum, session->film().view().radiance_sum);
    session->set_renderer("heat-map");
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    EXPECT_EQ(session->display().shown_film().radiance_sum, session->film().view().radiance_sum);
}

/// The least and the greatest of each channel, at most kDenoiseRange pixels from (x, y).
std::pair<vec3, vec3> range_around(const ImageF& image, int x, int y, int reach) {
    vec3 least(kInfinity), greatest(-kInfinity);
    for (int v = std::max(y - reach, 0); v <= std::min(y + reach, image.extent.height - 1); ++v)
        for (int u = std::max(x - reach, 0); u <= std::min(x + reach, image.extent.width - 1);
             ++u) {
            vec3 there = image.rgb[std::size_t(v * image.extent.width + u)];
            least = glm::min(least, there);
            greatest = glm::max(greatest, there);
        }
    return {least, greatest};
}

/// The number of pixels beyond the range of those around in `before`.
int count_out_of_range(const ImageF& before, const ImageF& after) {
    int n = 0;
    for (int y = 0; y < before.extent.height; ++y)
        for (int x = 0; x < before.extent.width; ++x) {
            auto [least, greatest] = range_around(before, x, y, kDenoiseRange);
            vec3 out = after.rgb[std::size_t(y * before.extent.width + x)];
            // A GPU may round the mean of a pixel in another way.
            vec3 rounding = 1e-6f * greatest;
            bool inside = glm::all(glm::greaterThanEqual(out, least - rounding)) &&
                          glm::all(glm::lessThanEqual(out, greatest + rounding));
            n += inside ? 0 : 1;
        }
    return n;
}

TEST(Denoiser, KeepsPixelsInTheRangeOfThoseAroundInEveryScene) {
    TL_LONG_TEST();
    constexpr Extent kTiny{24, 18};
    constexpr int kMost = test::kSanitized ? 2 : 64;
    int n_scenes = 0;
    for (auto& file : std::filesystem::directory_iterator(source_path("scenes"))) {
        if (file.path().extension() != ".toml") continue;
        Scene scene;
        try {
            scene = path_scene(file.path().filename().string());
        } catch (const UserError&) {
            continue;  // its models are not there
        }
        for (Device* device : devices()) {
            auto session = rendered(*device, scene, 0, kTiny);
            for (int spp = 1; spp <= kMost; spp *= 4) {
                add_samples(*session, spp - int(session->samples()));
                auto out = count_out_of_range(shown(*session, "false"), shown(*session, "true"));
                EXPECT_EQ(out, 0) << file.path() << ", " << spp << " on " << device->name();
            }
        }
        ++n_scenes;
    }
    EXPECT_GE(n_scenes, 20);
}

/// Ground below a bright sky, with balls of many materials before both.
Scene silhouettes() {
    Scene scene = load_scene("generate:sphere-flake,depth=0");
    scene.spheres.clear();
    std::vector<Material> materials(6);
    materials[0].diffuse = {0.02f, 0.3f, 0.6f};
    materials[1].kind = MaterialKind::phong;
    materials[1].specular = vec3(0.4f);
    materials[2].kind = MaterialKind::mirror;
    materials[2].specular = vec3(0.9f);
    materials[2].diffuse = vec3(0);
    materials[3].kind = MaterialKind::dielectric;
    materials[3].specular = vec3(1);
    materials[4].emission = vec3(2);
    materials[5].layers = SurfaceLayers{.metallic = 1, .roughness = 0.4f};
    for (auto& material : materials) {
        auto k = static_cast<float>(scene.spheres.size());
        scene.materials.push_back(material);
        scene.spheres.push_back({vec3(0.9f * k - 2.5f, 0.2f, 0.4f * k - 1), 0.5f,
                                 static_cast<std::int32_t>(scene.materials.size()) - 1});
    }
    scene.settings["render"]["renderer"] = "path";
    return scene;
}

TEST(Denoiser, DrawsNoDarkPixelsOnSilhouettes) {
    TL_LONG_TEST();
    constexpr int kMany = test::kSanitized ? 16 : 128;
    auto darkest = [](vec3 a) { return std::min({a.x, a.y, a.z}); };
    ImageF reference = shown(*rendered(*devices().front(), silhouettes(), kMany), "false");
    for (Device* device : devices())
        for (int spp : {1, 4, 16}) {
            auto session = rendered(*device, silhouettes(), spp);
            ImageF before = shown(*session, "false"), after = shown(*session, "true");
            int n_dark = 0;
            for (int y = 0; y < kExtent.height; ++y)
                for (int x = 0; x < kExtent.width; ++x) {
                    vec3 least = glm::min(range_around(reference, x, y, 1).first,
                                          range_around(before, x, y, 1).first);
                    vec3 out = after.rgb[std::size_t(y * kExtent.width + x)];
                    n_dark += darkest(out - 0.6f * least) < -0.02f ? 1 : 0;
                }
            EXPECT_EQ(n_dark, 0) << spp << " samples on " << device->name();
        }
}

TEST(Denoiser, DrawsNoDotsWhereSurfacesMeet) {
    TL_LONG_TEST();
    // Pixels with parts of two walls are like none around them, and have the noise of few samples.
    constexpr Extent kSmall{128, 72};
    Scene scene = path_scene("gallery/interior.toml");
    ImageF reference = shown(*rendered(*devices().front(), scene, 128, kSmall), "false");
    auto luminance = [](vec3 c) { return glm::dot(c, vec3(0.2126f, 0.7152f, 0.0722f)); };
    for (Device* device : devices()) {
        auto session = rendered(*device, scene, 12, kSmall);
        ImageF smooth = shown(*session, "true");
        // Dots: pixels that are far below all around them, where the reference is not.
        int n_dots = 0;
        for (int y = 1; y + 1 < kSmall.height; ++y)
            for (int x = 1; x + 1 < kSmall.width; ++x) {
                auto at = [&](const ImageF& image, int u, int v) {
                    return luminance(image.rgb[std::size_t(v * kSmall.width + u)]);
                };
                float least = kInfinity, true_least = kInfinity;
                for (int v = y - 1; v <= y + 1; ++v)
                    for (int u = x - 1; u <= x + 1; ++u) {
                        true_least = std::min(true_least, at(reference, u, v));
                        if (u != x || v != y) least = std::min(least, at(smooth, u, v));
                    }
                float here = at(smooth, x, y);
                n_dots += here < 0.5f * least && here < 0.5f * true_least ? 1 : 0;
            }
        RecordProperty("dots on " + device->id(), n_dots);
        EXPECT_LE(n_dots, 16) << device->name();
    }
}

/// Milliseconds of a stage in the newest frame; negative if it has none.
float stage_of(Session& session, const char* name) {
    session.timer().flush();
    for (auto& stage : session.timer().latest())
        if (stage.name == name) return stage.milliseconds;
    return -1;
}

TEST(Denoiser, IsAStageOfItsOwn) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto session = rendered(*device, path_scene("cornell-box.toml"), 0);
        add_samples(*session, 1, DenoiseWhen::now);
        EXPECT_LT(stage_of(*session, kDenoiseStage), 0);
        EXPECT_EQ(session->display().denoise_seconds(), 0);
        session->settings().set("film", "biased-denoise", "true");
        add_samples(*session, 1, DenoiseWhen::now);
        float milliseconds = stage_of(*session, kDenoiseStage);
        EXPECT_GT(milliseconds, 0);
        EXPECT_NEAR(session->display().denoise_seconds(), milliseconds / 1000, milliseconds / 2000);
        // A frame that is not shown has the stage as well, with nothing to do.
        double before = session->display().denoise_seconds();
        add_samples(*session, 1, DenoiseWhen::never);
        EXPECT_GE(stage_of(*session, kDenoiseStage), 0);
        EXPECT_EQ(session->display().denoise_seconds(), before);
    }
}

TEST(Denoiser, ThePictureStaysWhileSamplesComeAndGoesWithTheView) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto session = rendered(*device, path_scene("cornell-box.toml"), 0);
        session->settings().set("film", "biased-denoise", "true");
        DeviceArray<std::uint32_t> pixels(session->stream(), std::size_t(kExtent.pixels()));
        auto on_show = [&] {
            session->display().show(pixels.view(), false);
            return pixels.download(session->stream());
        };
        auto as_sampled = [&] {
            tone_map(session->stream(), session->film().view(), session->display().shown_tone_map(),
                     pixels.view(), false);
            return pixels.download(session->stream());
        };
        add_samples(*session, 1, DenoiseWhen::never);
        EXPECT_TRUE(session->display().awaits_denoising());
        EXPECT_EQ(on_show(), as_sampled());
        add_samples(*session, 1, DenoiseWhen::now);
        EXPECT_FALSE(session->display().awaits_denoising());
        auto smooth = on_show();
        EXPECT_NE(smooth, as_sampled());
        add_samples(*session, 1, DenoiseWhen::never);
        EXPECT_TRUE(session->display().awaits_denoising());
        EXPECT_EQ(on_show(), smooth);
        session->camera.eye.x += 0.1f;
        add_samples(*session, 1, DenoiseWhen::never);
        EXPECT_EQ(on_show(), as_sampled());
        // A saved picture is smoothed with all of its samples, once.
        add_samples(*session, 1, DenoiseWhen::now);
        double before = session->display().denoise_seconds();
        auto saved = radiance_of(session->stream(), session->display().shown_film());
        EXPECT_EQ(session->display().denoise_seconds(), before);
        add_samples(*session, 1, DenoiseWhen::never);
        EXPECT_NE(radiance_of(session->stream(), session->display().shown_film()).rgb, saved.rgb);
        EXPECT_GT(session->display().denoise_seconds(), before);
    }
}

}  // namespace
}  // namespace tl::denoiser_tests
