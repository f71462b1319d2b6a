// Properties of all photon modes: they converge to the path tracer's picture, light does not leak,
// components add up to the whole, and a seed gives the same bits.
#include <gtest/gtest.h>

#include "tests/image/photon_pictures.h"
#include "tests/image/room_scenes.h"
#include "tests/long_test.h"

namespace tl::photon_modes_tests {
namespace {

using test::camera_over;
using test::expect_near;
using test::kWider;
using test::mean_of;
using test::point_light;
using test::with_photons;

/// A mode, and the effort at which it is as accurate as the others.
struct Mode {
    const char* id;
    int photons_percent, spp_percent;  ///< percent of the progressive mode's numbers
    /// Tolerance of the mean in a room that is open to the viewer.
    double tolerance;
};
// Estimates at edges, to which one side contributes, are too dark. The thesis' mode corrects these,
// but interpolates irradiance between few seeds.
constexpr Mode kModes[] = {{"progressive", 100, 100, 0.015},
                           {"sppm", 100, 100, 0.015},
                           {"vcm", 20, 100, 0.015},
                           {"thesis", 100, 100, 0.0175}};

/// Renders a scene by a mode; `photons` and `spp`: those of the progressive mode.
ImageF render(Device& device, const Mode& mode, Scene scene, int photons, const char* max_depth,
              Extent extent, int spp) {
    auto& settings = scene.settings["photon"];
    settings["mode"] = mode.id;
    settings["photons"] = std::to_string(std::max(photons * mode.photons_percent / 100, 1));
    settings["max-depth"] = max_depth;
    settings["thesis-seeds"] = "256";
    settings["thesis-gather-rays"] = "32";
    return test::render(device, std::move(scene), "photon", extent,
                        std::max(spp * mode.spp_percent / 100, 1));
}

TEST(PhotonModes, EverySourceLightsLikeInThePathTracer) {
    TL_LONG_TEST();
    auto scenes = test::rooms_of_sources();
    for (Device* device : devices())
        for (auto& [name, scene] : scenes) {
            vec3 paths = mean_of(test::render(*device, *scene, "path", {48, 36}, 256));
            // Narrow, so that estimates at edges, to which one side contributes, are hardly too
            // dark.
            scene->settings["photon"]["radius"] = "0.2";
            for (const Mode& mode : kModes)
                expect_near(mean_of(render(*device, mode, *scene, 5'000, "8", {48, 36}, 48)), paths,
                            mode.tolerance, name + ", " + mode.id + " on " + device->name());
        }
}

TEST(PhotonModes, AFloorUnderGlassIsAsBrightAsInThePathTracer) {
    TL_LONG_TEST();
    auto scene = test::floor_under_glass();
    for (Device* device : devices()) {
        vec3 paths = mean_of(test::render(*device, *scene, "path", {48, 36}, 1024));
        for (const Mode& mode : kModes)
            expect_near(mean_of(render(*device, mode, *scene, 20'000, "12", {48, 36}, 48)), paths,
                        0.01, std::string(mode.id) + " on " + device->name());
    }
}

TEST(PhotonModes, NoLightLeaksThroughAThinWall) {
    TL_LONG_TEST();
    // Two rooms with a wall of 1 mm between, one lit; the wall is seen from the dark one.
    Scene scene;
    scene.materials = {test::diffuse(0.8f)};
    Mesh rooms;
    add_box(rooms, {-2, -1, -1}, {-0.001f, 1, 1}, 0);
    add_box(rooms, {0, -1, -1}, {2, 1, 1}, 0);
    scene.meshes = {rooms};
    scene.lights = {point_light({-1, 0.3f, 0.2f}, 1)};
    scene.settings["photon"]["radius"] = "0.1";
    for (Device* device : devices())
        for (const Mode& mode : kModes) {
            auto mean_from = [&](vec3 eye, vec3 target) {
                scene.camera = {eye, target, {0, 1, 0}, 90};
                return mean_of(render(*device, mode, scene, 20'000, "64", {48, 48}, 4)).x;
            };
            float lit = mean_from({-0.4f, 0, 0}, {-2, 0.1f, 0});
            float dark = mean_from({0.7f, 0, 0}, {0, 0, 0});
            EXPECT_GT(lit, 0.1f) << mode.id << " on " << device->name();
            EXPECT_LT(dark, 0.001f * lit) << mode.id << " on " << device->name();
        }
}

TEST(PhotonModes, NoLightLeaksFromAShelfToTheFloorBelow) {
    TL_LONG_TEST();
    // Both faces point up, 6 cm apart, a third of the radius: only the distance from the tangent
    // plane separates their photons.
    Scene scene;
    scene.materials = {test::diffuse(0.8f)};
    Mesh room;
    add_box(room, {-1, 0, -1}, {1, 1, 1}, 0);
    test::add_parallelogram(room, {-1, 0.06f, -1}, {0, 0, 2}, {2, 0, 0}, 0);
    scene.meshes = {room};
    scene.lights = {point_light({0, 0.5f, 0}, 1)};
    scene.settings["photon"]["radius"] = "0.2";
    for (Device* device : devices())
        for (const Mode& mode : kModes) {
            auto mean_at = [&](float height) {
                scene.camera = camera_over({0, height, 0}, 0.5f);
                return mean_of(render(*device, mode, scene, 20'000, "64", {16, 16}, 4)).x;
            };
            float lit = mean_at(0.3f), dark = mean_at(0.03f);
            EXPECT_GT(lit, 0.1f) << mode.id << " on " << device->name();
            EXPECT_LT(dark, 0.001f * lit) << mode.id << " on " << device->name();
        }
}

TEST(PhotonModes, PartsAddUpToThePicture) {
    TL_LONG_TEST();
    auto scene = test::room_of_surfaces();
    for (Device* device : devices())
        for (const Mode& mode : {kModes[0], kModes[1]}) {
            auto mean_shown = [&](const char* show) {
                scene->settings["photon"]["show"] = show;
                return mean_of(render(*device, mode, *scene, 20'000, "10", {48, 36}, 32));
            };
            vec3 sum(0);
            for (const char* part : {"direct", "specular", "caustics", "indirect"}) {
                vec3 mean = mean_shown(part);
                EXPECT_GT(mean.y, 0.0f) << part;
                sum += mean;
            }
            expect_near(sum, mean_shown("picture"), 0.004,
                        std::string(mode.id) + " on " + device->name());
        }
}

TEST(PhotonModes, ASeedGivesTheSameBits) {
    TL_LONG_TEST();
    // Includes a point light, whose photons have known footprints.
    auto lamp = test::room_of_surfaces(), point = test::room_of_surfaces();
    point->lights = {point_light({0, 2.3f, 0.5f}, 5)};
    for (Device* device : devices())
        for (auto& scene : {lamp, point})
            for (const Mode& mode : kModes)
                for (const char* edges : {"false", "true"}) {
                    bool is_progressive = mode.id == std::string("progressive");
                    if (!is_progressive && edges == std::string("true")) continue;
                    scene->settings["photon"]["edges"] = edges;
                    scene->settings["photon"]["contrast-samples"] = is_progressive ? "4" : "0";
                    auto image = [&] {
                        return render(*device, mode, *scene, 30'000, "8", {48, 36}, 8).rgb;
                    };
                    EXPECT_EQ(image(), image())
                        << mode.id << " on " << device->name() << ", edges " << edges;
                }
}

TEST(PhotonModes, WhatAModeCannotShowIsRefused) {
    struct Shown {
        const char *mode, *show;
        bool is_there;
    };
    for (Device* device : devices())
        for (auto [mode, show, is_there] :
             {Shown{"progressive", "radius", true}, Shown{"sppm", "density", true},
              Shown{"sppm", "caustics", true}, Shown{"thesis", "radius", false},
              Shown{"thesis", "density", false}, Shown{"thesis", "indirect", true},
              Shown{"vcm", "radius", false}, Shown{"vcm", "direct", false},
              Shown{"vcm", "error", true}}) {
            auto scene = test::room_of_surfaces();
            scene->settings["photon"]["show"] = show;
            auto draw = [&, mode = mode] {
                (void)render(*device, {mode, 100, 100, 0}, *scene, 500, "4", {8, 8}, 1);
            };
            if (is_there)
                EXPECT_NO_THROW(draw()) << mode << ", " << show;
            else
                EXPECT_THROW(draw(), UserError) << mode << ", " << show;
        }
}

TEST(PhotonModes, CulledPhotonsLeaveThePictureItsBits) {
    // Part of a room; includes a point light, whose photons have known footprints.
    auto lamp = test::room_of_surfaces(), point = test::room_of_surfaces();
    point->lights = {point_light({0, 2.3f, 0.5f}, 5)};
    for (Device* device : devices())
        for (auto& scene : {lamp, point})
            for (const Mode& mode : {kModes[0], kModes[1]}) {
                scene->camera.vertical_fov = 12;
                auto& settings = scene->settings["photon"];
                settings["cull"] = "false";
                ImageF all = render(*device, mode, *scene, 20'000, "8", {48, 36}, 3);
                settings["cull"] = "true";
                EXPECT_EQ(render(*device, mode, *scene, 20'000, "8", {48, 36}, 3).rgb, all.rgb)
                    << mode.id << " on " << device->name();
            }
}

TEST(PhotonModes, PhotonsOutOfSightAreCulledFromTheSecondPassOn) {
    auto scene = test::room_of_surfaces();
    scene->camera.vertical_fov = 12;
    scene->settings["render"]["renderer"] = "photon";
    scene->settings["photon"]["photons"] = "20000";
    for (Device* device : devices())
        for (const Mode& mode : {kModes[0], kModes[1]})
            for (const char* cull : {"false", "true"}) {
                scene->settings["photon"]["mode"] = mode.id;
                scene->settings["photon"]["cull"] = cull;
                Session session(*device);
                session.set_scene(std::make_shared<Scene>(*scene));
                session.resize({48, 36});
                for (int pass = 0; pass < 2; ++pass) {
                    session.begin_frame();
                    session.render_frame();
                    session.end_frame();
                    auto counts = session.inspection().frame_counts();
                    bool is_culled = pass > 0 && cull == std::string("true");
                    ASSERT_EQ(counts.size(), is_culled ? 3u : 2u) << device->name();
                    if (!is_culled) continue;
                    EXPECT_EQ(counts[2].name, "photons in use");
                    EXPECT_GT(counts[2].value, 0u);
                    EXPECT_LT(counts[2].value, counts[1].value / 2) << mode.id;
                }
            }
}

TEST(PhotonModes, MovingTheCameraKeepsThePhotons) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (const Mode& mode : {kModes[0], kModes[1], kModes[3]}) {
            auto scene = test::room_of_surfaces();
            scene->settings["photon"]["cull"] = "true";
            scene->settings["render"]["renderer"] = "photon";
            scene->settings["photon"]["photons"] = "5000";
            scene->settings["photon"]["mode"] = mode.id;
            Session session(*device);
            session.set_scene(scene);
            session.resize({32, 24});
            auto traced_in_frames = [&](float step) {
                for (int i = 0; i < 8; ++i) {  // times are read some frames later
                    session.camera.eye.x += step;
                    session.begin_frame();
                    session.render_frame();
                    session.end_frame();
                    session.stream().synchronize();
                }
                auto stages = session.timer().latest();
                return std::ranges::any_of(stages, [](auto& stage) {
                    return stage.name == "trace photons" || stage.name == "photon grid" ||
                           stage.name == "photon maps";
                });
            };
            EXPECT_TRUE(traced_in_frames(0)) << mode.id << " on " << device->name();
            (void)traced_in_frames(0.01f);
            EXPECT_FALSE(traced_in_frames(0.01f)) << mode.id << " on " << device->name();
            auto counts = session.inspection().frame_counts();
            ASSERT_GE(counts.size(), 2u);
            EXPECT_EQ(counts[0].value, 5000u);
            EXPECT_GT(counts[1].value, 2000u);
        }
}

}  // namespace
}  // namespace tl::photon_modes_tests
