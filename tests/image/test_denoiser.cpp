// The denoiser brings pictures of few samples closer to those of many, keeps edges and textures,
// and leaves alone what has no noise.
#include <gtest/gtest.h>

#include "accel/parallel/registry.h"
#include "renderer/images/metrics.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/sanitized.h"

namespace tl::denoiser_tests {
namespace {

constexpr Extent kExtent{120, 90};

std::unique_ptr<Session> rendered(Device& device, Scene scene, int spp) {
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(std::move(scene)));
    session->resize(kExtent);
    for (int i = 0; i < spp; ++i) {
        session->begin_frame();
        session->render_frame();
        session->end_frame();
    }
    return session;
}

Scene path_scene(const std::string& name) {
    Scene scene = load_scene(std::string(TL_SOURCE_DIR) + "/scenes/" + name);
    scene.settings["render"]["renderer"] = "path";
    return scene;
}

ImageF shown(Session& session, const std::string& denoise) {
    session.set_setting("film", "biased-denoise", denoise);
    return radiance_of(session.stream(), session.shown_film());
}

TEST(Denoiser, BringsFewSamplesCloserToMany) {
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
    Scene scene = path_scene("cornell-box.toml");
    Device& device = *devices().front();
    auto session = rendered(device, scene, 1);
    EXPECT_EQ(session->shown_film().radiance_sum, session->film().view().radiance_sum);
    session->set_setting("film", "biased-denoise", "true");
    EXPECT_NE(session->shown_film().radiance_sum, session->film().view().radiance_sum);
    session->set_renderer("heat-map");
    session->begin_frame();
    session->render_frame();
    session->end_frame();
    EXPECT_EQ(session->shown_film().radiance_sum, session->film().view().radiance_sum);
}

}  // namespace
}  // namespace tl::denoiser_tests
