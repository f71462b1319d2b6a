// Recorded rays are those that a frame counts, for each kind and in pixel order. They have the same
// hits when traced alone as in the frame.
#include <gtest/gtest.h>

#include "app/commands/rays_alone.h"
#include "core/base/error.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/shading/camera_rays.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::recorded_rays_tests {
namespace {

constexpr std::uint64_t kPlenty = 1000000000;
constexpr Extent kExtent{80, 60};

/// A session that has rendered two frames with single rays, since packets may round differently.
std::unique_ptr<Session> rendered(Device& device, Scene scene, Extent extent = kExtent) {
    scene.settings["tree"]["layout"] = "bvh2";
    auto session = std::make_unique<Session>(device);
    session->set_scene(std::make_shared<Scene>(std::move(scene)));
    session->resize(extent);
    for (int i = 0; i < 2; ++i) {
        session->begin_frame();
        session->render_frame();
        session->end_frame();
    }
    return session;
}

std::uint64_t rays_of_frame(Session& session) {
    return session.film().rays_of_frame(session.scratch());
}

std::vector<Ray> download(Session& session, View<const Ray> rays) {
    std::vector<Ray> host(rays.size);
    session.device().download(session.stream(), host.data(), rays.data, rays.size * sizeof(Ray));
    return host;
}

/// On CUDA another kernel may round a hit differently; one ray in ten thousand may then continue
/// elsewhere.
double allowed(const Device& device, std::uint64_t n_rays) {
    return device.kind() == DeviceKind::cpu ? 0 : 1e-4 * static_cast<double>(n_rays);
}

void expect_recorded(Scene scene) {
    for (Device* device : devices()) {
        SCOPED_TRACE(device->name());
        auto session = rendered(*device, scene);
        std::uint64_t n_all = rays_of_frame(*session);
        double off = allowed(*device, n_all);
        RecordedRays recorded = session->inspection().record_rays(kPlenty);
        EXPECT_EQ(rays_of_frame(*session), n_all) << "recording changed the film";

        // The counts of each kind follow from a second frame without shadows.
        auto unlit = scene;
        unlit.settings["whitted"]["shadows"] = "false";
        std::uint64_t n_unlit = rays_of_frame(*rendered(*device, unlit));
        auto n_camera = static_cast<std::uint64_t>(kExtent.pixels());
        EXPECT_EQ(recorded.count(RayPurpose::camera), n_camera);
        EXPECT_NEAR(double(recorded.count(RayPurpose::secondary)), double(n_unlit - n_camera), off);
        EXPECT_NEAR(double(recorded.count(RayPurpose::shadow)), double(n_all - n_unlit), off);
        EXPECT_EQ(recorded.count(RayPurpose::behind_hole) > 0,
                  session->live_scene().view().has_cutouts);

        RaysAlone alone = measure_rays_alone(*session, 1, kPlenty);
        EXPECT_NEAR(double(alone.n_counted()), double(n_all), off);
        std::size_t n_hits = 0;
        for (auto& kind : alone.kinds) {
            EXPECT_LE(double(kind.n_different), off) << kind.kind;
            n_hits += kind.n_hits;
        }
        EXPECT_GT(n_hits, n_camera / 4);
    }
}

Scene scene_of(const char* name) {
    return load_scene(source_path("scenes/") + std::string(name) + ".toml");
}

}  // namespace

TEST(RecordedRays, AreThoseThatTheFrameCounts) {
    TL_LONG_TEST();
    for (const char* name : {"cornell-box", "toasters-glass", "dragon"}) {
        SCOPED_TRACE(name);
        expect_recorded(scene_of(name));
    }
}

TEST(RecordedRays, GoOnBehindHoles) {
    expect_recorded(scene_of("textures"));
}

TEST(RecordedRays, EnterInstances) {
    expect_recorded(load_scene("generate:crowd,count=50"));
}

TEST(RecordedRays, MeetPatches) {
    expect_recorded(scene_of("teapots"));
}

TEST(RecordedRays, LieInTheOrderOfPixels) {
    Extent extent{40, 24};  // with tiles that extend beyond the picture
    for (Device* device : devices()) {
        auto session = rendered(*device, scene_of("cornell-box"), extent);
        RecordedRays recorded = session->inspection().record_rays(kPlenty);
        auto rays = download(*session, recorded.rays_of(RayPurpose::camera));
        CameraRays camera(session->camera, extent);
        PixelOrder order(extent);
        std::size_t next = 0;
        for (std::uint32_t item = 0; item < order.n_items; ++item) {
            std::uint32_t x, y;
            if (!order.pixel(item, x, y)) continue;
            ASSERT_LT(next, rays.size());
            Ray ray = rays[next++];
            EXPECT_EQ(ray.origin, session->camera.eye);
            Ray middle = camera.through(float(x) + 0.5f, float(y) + 0.5f);
            EXPECT_LT(glm::length(ray.direction - middle.direction), glm::length(camera.step_x));
        }
        EXPECT_EQ(next, rays.size());
    }
}

TEST(RecordedRays, AreRefusedWhereTheyTakeTooMuch) {
    for (Device* device : devices()) {
        auto session = rendered(*device, scene_of("cornell-box"));
        try {
            (void)session->inspection().record_rays(1000);
            FAIL() << "1000 bytes held all rays";
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("choose a smaller size"), std::string::npos)
                << error.what();
        }
        EXPECT_EQ(session->inspection().record_rays(kPlenty).count(RayPurpose::camera),
                  kExtent.pixels());
        session->set_renderer("heat-map");
        EXPECT_THROW((void)session->inspection().record_rays(kPlenty), UserError);
    }
}

}  // namespace tl::recorded_rays_tests
