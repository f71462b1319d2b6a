// On every device, the wavefront path tracer gives the picture of the CPU's single kernel, up to
// float rounding, and the same number of rays. Recorded rays are those of the frame.
#include <gtest/gtest.h>

#include "app/commands/rays_alone.h"
#include "core/device/registry.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"

namespace tl::path_pipelines_tests {
namespace {

std::unique_ptr<Session> rendered(Device& device, Scene scene, const std::string& pipeline,
                                  Extent extent, int n_frames) {
    scene.settings["render"]["renderer"] = "path";
    scene.settings["path"]["pipeline"] = pipeline;
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(std::move(scene)));
    session->resize(extent);
    for (int i = 0; i < n_frames; ++i) {
        session->begin_frame();
        session->render_frame();
        session->end_frame();
    }
    return session;
}

/// Whether all but a few pixels, whose paths rounding has changed, are equal.
void expect_one_picture(const Scene& scene, Extent extent, int n_frames) {
    auto single = rendered(find_device("cpu"), scene, "single-kernel", extent, n_frames);
    for (Device* device : devices()) {
        SCOPED_TRACE(device->name());
        auto waves = rendered(*device, scene, "wavefront", extent, n_frames);
        ImageF a = single->film().radiance(single->stream());
        ImageF b = waves->film().radiance(waves->stream());
        std::size_t n_off = 0;
        for (std::size_t i = 0; i < a.rgb.size(); ++i) {
            vec3 d = glm::abs(a.rgb[i] - b.rgb[i]), s = a.rgb[i] + b.rgb[i];
            n_off += !(std::max({d.x, d.y, d.z}) <= 1e-4f * std::max({s.x, s.y, s.z}) + 1e-6f);
        }
        double few = device->kind() == DeviceKind::cpu ? 0 : 0.01 * double(extent.pixels());
        EXPECT_LE(double(n_off), few);
        auto n_single = single->film().rays_of_frame(single->scratch());
        EXPECT_NEAR(double(waves->film().rays_of_frame(waves->scratch())), double(n_single),
                    device->kind() == DeviceKind::cpu ? 0 : 0.002 * double(n_single));
    }
}

TEST(PathPipelines, AgreeInTheScenes) {
    TL_LONG_TEST();
    for (auto* name : {"cornell-box", "glossy", "atrium", "crowd", "textures", "teapots"}) {
        if (test::kSanitized && std::string(name) == "atrium") continue;  // takes long
        expect_one_picture(load_scene(source_path("scenes/") + name + ".toml"), {100, 70}, 2);
    }
}

TEST(PathPipelines, AgreeOnPicturesOfSeveralChunks) {
    TL_LONG_TEST();
    if (test::kSanitized) GTEST_SKIP() << "takes two million paths twice";
    expect_one_picture(load_scene(source_path("scenes/cornell-box.toml")), {2100, 1050}, 1);
}

TEST(PathPipelines, AgreeWherePixelsAreDone) {
    TL_LONG_TEST();
    Scene scene = load_scene(source_path("scenes/cornell-box.toml"));
    scene.settings["sampling"]["error"] = "0.05";
    expect_one_picture(scene, {60, 40}, 80);
}

TEST(PathPipelines, RecordedRaysAreThoseOfTheFrame) {
    TL_LONG_TEST();
    constexpr std::uint64_t kPlenty = 1000000000;
    for (Device* device : devices()) {
        for (auto* name : {"glossy", "textures", "teapots"}) {
            SCOPED_TRACE(device->name() + ", " + name);
            Scene scene = load_scene(source_path("scenes/") + name + ".toml");
            auto session = rendered(*device, scene, "auto", {80, 60}, 2);
            std::uint64_t n_rays = session->film().rays_of_frame(session->scratch());
            double few = device->kind() == DeviceKind::cpu ? 0 : 1e-3 * double(n_rays);
            RaysAlone alone = measure_rays_alone(*session, 1, kPlenty);
            EXPECT_EQ(session->film().rays_of_frame(session->scratch()), n_rays);
            EXPECT_NEAR(double(alone.n_counted()), double(n_rays), few);
            for (auto& kind : alone.kinds) EXPECT_LE(double(kind.n_different), few) << kind.kind;
            EXPECT_EQ(alone.kinds.size(), session->live_scene().view().has_cutouts ? 4u : 3u)
                << "camera, secondary and shadow rays, and those behind holes";
        }
    }
}

}  // namespace
}  // namespace tl::path_pipelines_tests
