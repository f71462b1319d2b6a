// Compares pictures of the shipped scenes, by every picture renderer, with the visually checked
// references in tests/image/golden. With TREELIGHT_UPDATE_GOLDEN=1 the test writes these instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::golden_tests {
namespace {

constexpr Extent kExtent{160, 120};
constexpr int kSpp = test::kSanitized ? 1 : 16;

/// Times, in seconds, of animated scenes whose motion would not be visible at time 0.
float time_of(const std::string& name) {
    return name == "explosion" || name == "waves" ? 1.5f : 0;
}

Image8 picture_of(Device& device, const std::string& renderer, const std::string& scene_path,
                  float time) {
    Session session(device);
    session.set_scene(std::make_shared<Scene>(load_scene(scene_path)));
    session.set_renderer(renderer);
    session.settings().set("film", "tone", "linear");
    session.settings().set("photon", "photons", test::kSanitized ? "1000" : "20000");
    // Guiding is off: the photons that train it depend on the rounding of the first ones, and all
    // later photons depend on the training.
    session.settings().set("photon", "guide", "false");
    session.settings().set("radiosity", "caustic-photons", "0");
    session.settings().set("radiosity", "mode", "direct");
    session.settings().set("radiosity", "points", test::kSanitized ? "100" : "800");
    session.resize(kExtent);
    session.time = time;
    for (int i = 0; i < kSpp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().picture(session.scratch(), session.display().config().tone_map);
}

struct Difference {
    double mean = 0;       ///< over all channels, in 8-bit steps
    double share_off = 0;  ///< fraction of channels more than 16 steps off
};

Difference difference(const Image8& a, const Image8& b) {
    Difference d;
    for (std::size_t i = 0; i < a.rgba.size(); ++i) {
        int step = std::abs(int(a.rgba[i]) - int(b.rgba[i]));
        d.mean += step;
        d.share_off += step > 16;
    }
    d.mean /= double(a.rgba.size());
    d.share_off /= double(a.rgba.size());
    return d;
}

/// A renderer and a scene.
class Golden : public testing::TestWithParam<std::tuple<std::string, const char*>> {};

TEST_P(Golden, PictureIsAsItWas) {
    auto [renderer, name] = GetParam();
    constexpr std::string_view kLarge[] = {"atrium", "crowd", "terrain", "waves"};
    TL_LONG_TEST_IF(std::ranges::find(kLarge, name) != std::end(kLarge));
    std::string golden = source_path("tests/image/golden/") + renderer + "/" + name + ".png";
    std::string scene = source_path("scenes/") + std::string(name) + ".toml";
    for (Device* device : devices()) {
        Image8 now;
        try {
            now = picture_of(*device, renderer, scene, time_of(name));
        } catch (const UserError& error) {
            if (std::string(error.what()).find("fetch-models") == std::string::npos) throw;
            GTEST_SKIP() << error.what();
        }
        if (std::getenv("TREELIGHT_UPDATE_GOLDEN")) {
            std::filesystem::create_directories(std::filesystem::path(golden).parent_path());
            write_png(golden, now);
            continue;
        }
        if (test::kSanitized) continue;
        Image8 kept = read_image8(golden);
        ASSERT_EQ(kept.extent, now.extent);
        auto d = difference(kept, now);
        // The random numbers are the same; rounding differs between compilers and devices, which
        // changes the noise of a few pixels at edges and behind glass.
        EXPECT_LT(d.mean, 0.5) << name << " on " << device->name();
        EXPECT_LT(d.share_off, 0.005) << name << " on " << device->name();
    }
}

std::string golden_name(const testing::TestParamInfo<Golden::ParamType>& info) {
    return test::test_name(std::get<0>(info.param) + "_" + std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Scenes, Golden,
                         testing::Combine(testing::ValuesIn(test::picture_renderers()),
                                          testing::Values("cornell-box", "cornell-box-original",
                                                          "sphere-flake", "terrain", "atrium",
                                                          "soup", "crowd", "explosion", "waves",
                                                          "textures", "teapot-mirror")),
                         golden_name);
// Scenes of rough and of emissive surfaces, which only the path tracer renders fully.
INSTANTIATE_TEST_SUITE_P(Rough, Golden,
                         testing::Combine(testing::Values("path"),
                                          testing::Values("glossy", "lanterns", "plates", "room")),
                         golden_name);
// Scenes whose light is found by photons only.
INSTANTIATE_TEST_SUITE_P(Caustics, Golden,
                         testing::Combine(testing::Values("photon"),
                                          testing::Values("caustics", "pool", "glossy")),
                         golden_name);
// A scene whose model is fetched.
INSTANTIATE_TEST_SUITE_P(Models, Golden,
                         testing::Combine(testing::Values("whitted", "bezier"),
                                          testing::Values("bunny")),
                         golden_name);

}  // namespace
}  // namespace tl::golden_tests
