// Pictures of the renderer `radiosity` against closed formulas and the path tracer.
#include <gtest/gtest.h>

#include "renderer/scene/generators/generators.h"
#include "renderer/scene/scene_edits.h"
#include "tests/image/radiosity_scenes.h"
#include "tests/image/room_scenes.h"
#include "tests/long_test.h"

namespace tl::radiosity_tests {
namespace {

using test::figures_of;
using test::furnace;
using test::kModes;
using test::render_radiance;
using test::with_renderer;

TEST(Radiosity, ASphereFromWithinIsAFurnace) {
    TL_LONG_TEST();
    auto scene = with_renderer(furnace(), "1500");
    scene->settings["radiosity"]["bounces"] = "40";
    for (Device* device : devices()) {
        ImageF image = render_radiance(*device, scene, {24, 16}, 1);
        vec3 albedo = scene->materials[0].diffuse;
        for (vec3 seen : image.rgb)
            for (int c = 0; c < 3; ++c) {
                // albedo I / (pi R^2 (1 - albedo)); the transport of a point to itself is missing.
                float expected = albedo[c] / (1 - albedo[c]);
                ASSERT_NEAR(seen[c] / expected, 1, 0.02f) << device->name();
            }
    }
}

TEST(Radiosity, SurfacesAreLitFromBothSides) {
    // A wall between two lamps, lit on each side by its own: the floor shows both bounces.
    for (float side : {1.0f, -1.0f}) {
        auto scene = std::make_shared<Scene>();
        Material white, red;
        white.diffuse = vec3(0.8f);
        red.diffuse = vec3(0.8f, 0, 0);
        scene->materials = {white, red};
        Mesh mesh;
        mesh.positions = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, 2}, {2, 0, -2},
                          {0, 0, -2},  {0, 0, 2},  {0, 2, 2}, {0, 2, -2}};
        mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
        mesh.material_of_triangle = {0, 0, 1, 1};
        scene->meshes = {mesh};
        Light light;
        light.kind = LightKind::directional;
        light.direction = glm::normalize(vec3(-side, -0.3f, 0));
        scene->lights = {light};
        scene->camera = {{side, 3, 0}, {side, 0, 0}, {0, 0, 1}, 20};
        ImageF image = render_radiance(*devices()[0], with_renderer(scene, "600"), {8, 8}, 4);
        vec3 mean = test::mean_of(image);
        EXPECT_GT(mean.x, 1.2f * mean.y) << side;
    }
}

/// Light from above that a slanted mirror reflects specularly onto the middle of a wall.
std::shared_ptr<Scene> mirror_and_wall() {
    auto scene = std::make_shared<Scene>();
    Material grey, mirror;
    grey.diffuse = vec3(0.5f, 0.25f, 0.75f);
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(0.9f, 1, 0.8f);
    scene->materials = {grey, mirror};
    Mesh mesh;
    mesh.positions = {{-1, -1, -1},       {-1, 1, -1},           {-1, 1, 1},
                      {-1, -1, 1},        {-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, -0.5f},
                      {0.5f, 0.5f, 0.5f}, {-0.5f, -0.5f, 0.5f}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
    mesh.material_of_triangle = {0, 0, 1, 1};
    scene->meshes = {mesh};
    Light light;
    light.kind = LightKind::directional;
    light.direction = vec3(0, -1, 0);
    light.radiance = vec3(kPi);
    scene->lights = {light};
    scene->camera = {{0.5f, 1.5f, 0}, {-1, 0, 0}, {0, 1, 0}, 12};
    return with_renderer(scene, "2000");
}

TEST(Radiosity, AMirrorThrowsLightOntoAWall) {
    auto scene = mirror_and_wall();
    vec3 expected = scene->materials[0].diffuse * scene->materials[1].specular;
    for (Device* device : devices())
        for (const char* view : {"picture", "cells"}) {
            scene->settings["radiosity"]["view"] = view;
            vec3 seen = test::mean_of(render_radiance(*device, scene, {16, 16}, 8));
            for (int c = 0; c < 3; ++c)
                // The number of photons within a radius varies by some percent between query
                // points.
                EXPECT_NEAR(seen[c] / expected[c], 1, 0.03f) << device->name() << " " << view;
        }
    scene->settings["radiosity"]["view"] = "picture";
    scene->settings["radiosity"]["caustic-photons"] = "0";
    EXPECT_EQ(test::mean_of(render_radiance(*devices()[0], scene, {16, 16}, 1)), vec3(0));
}

TEST(Radiosity, WhatLiesBesideACausticIsLitByIt) {
    // A floor that light reaches only by way of the mirror and the wall.
    auto scene = mirror_and_wall();
    auto& mesh = scene->meshes[0];
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (vec3 corner : {vec3(-1, -1, -1), vec3(-1, -1, 1), vec3(1, -1, 1), vec3(1, -1, -1)})
        mesh.positions.push_back(corner);
    mesh.triangles.emplace_back(first, first + 1, first + 2);
    mesh.triangles.emplace_back(first, first + 2, first + 3);
    mesh.material_of_triangle.insert(mesh.material_of_triangle.end(), 2, 0);
    Light& spot = scene->lights[0];
    spot.kind = LightKind::spot;
    spot.position = vec3(0, 3, 0);
    spot.radiance = vec3(20);
    spot.inner_angle = 6;
    spot.outer_angle = 8;
    scene->camera = {{0.9f, -0.4f, 0.9f}, {-0.6f, -1, 0}, {0, 1, 0}, 20};
    auto mean = [&](Device& device, const char* renderer, int n_samples) {
        scene->settings["render"]["renderer"] = renderer;
        return test::mean_of(render_radiance(device, scene, {16, 16}, n_samples));
    };
    vec3 expected = mean(*devices()[0], "photon", 4);
    for (Device* device : devices()) {
        vec3 seen = mean(*device, "radiosity", 1);
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen[c] / expected[c], 1, 0.04f) << device->name();
    }
}

/// Walls illuminate a floor through a pane whose thickness equals the distance of its surroundings.
TEST(Radiosity, GlassLetsLightBetweenPointsThrough) {
    auto mean = [](Device& device, const char* renderer, int n_samples) {
        auto scene = test::floor_under_glass();
        scene->settings["render"]["renderer"] = renderer;
        scene->settings["radiosity"]["points"] = "3000";
        return test::mean_of(render_radiance(device, scene, {64, 64}, n_samples));
    };
    // The pane reflects a few percent of light, which points do not lose. If it occluded the
    // points, a tenth would be missing.
    vec3 expected = mean(*devices()[0], "photon", 4);
    for (Device* device : devices()) {
        vec3 seen = mean(*device, "radiosity", 4);
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen[c] / expected[c], 1, 0.03f) << device->name();
    }
}

std::shared_ptr<Scene> cornell_box(const char* renderer) {
    auto scene = std::make_shared<Scene>();
    generate(*scene, "cornell-box", {{"blocks", "true"}});
    scene->settings["render"]["renderer"] = renderer;
    scene->settings["radiosity"]["points"] = "1500";
    return scene;
}

/// Whether a pixel or a neighbour shows the emitter, whose edge depends on the samples.
bool is_beside_lamp(const ImageF& image, int x, int y) {
    Extent extent = image.extent;
    for (int v = std::max(y - 1, 0); v <= std::min(y + 1, extent.height - 1); ++v)
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, extent.width - 1); ++u)
            if (largest(image.rgb[std::size_t(v * extent.width + u)]) > 2) return true;
    return false;
}

TEST(Radiosity, TheCornellBoxLooksLikeInThePathTracer) {
    TL_LONG_TEST();
    constexpr Extent kExtent{24, 24};
    ImageF truth = render_radiance(*devices()[0], cornell_box("path"), kExtent, 1024);
    for (Device* device : devices())
        for (const char* mode : kModes) {
            auto scene = cornell_box("radiosity");
            scene->settings["radiosity"]["mode"] = mode;
            ImageF image = render_radiance(*device, scene, kExtent, 16);
            SCOPED_TRACE(device->name() + ", " + mode);
            // Regions about the red wall, the green one, the ceiling, the floor, and the back with
            // the blocks.
            double errors = 0;
            glm::dvec3 sums[5][2] = {};
            for (int y = 0; y < kExtent.height; ++y)
                for (int x = 0; x < kExtent.width; ++x) {
                    auto i = std::size_t(y) * std::size_t(kExtent.width) + std::size_t(x);
                    glm::dvec3 a = truth.rgb[i], b = image.rgb[i];
                    int part = x < 4 ? 0 : x >= 20 ? 1 : y < 4 ? 2 : y >= 20 ? 3 : 4;
                    if (is_beside_lamp(truth, x, y)) continue;
                    sums[part][0] += a;
                    sums[part][1] += b;
                    errors += glm::dot(a - b, a - b) / (glm::dot(a, a) + 1e-3);
                }
            EXPECT_LT(errors / double(truth.rgb.size()), 1e-2);
            // The noise of 1,024 samples leaves about 0.3 % in a part's mean.
            for (auto& [a, b] : sums) EXPECT_NEAR(glm::length(b) / glm::length(a), 1, 0.015);
        }
}

TEST(Radiosity, LinksSeeWhatPointsSee) {
    for (Device* device : devices())
        for (const char* mode : {"hierarchical", "fmm", "fmm by harmonics"}) {
            auto scene = cornell_box("radiosity");
            bool is_series = std::string(mode) == "fmm by harmonics";
            scene->settings["radiosity"]["mode"] = is_series ? "fmm" : mode;
            if (is_series) scene->settings["radiosity"]["expansions"] = "harmonics";
            scene->settings["radiosity"]["error"] = "0.001";
            scene->settings["radiosity"]["check-points"] = "100";
            SCOPED_TRACE(device->name() + ", " + mode);
            auto figures = figures_of(*device, scene);
            ASSERT_EQ(figures.size(), 4u);
            // Within the requested tolerance; most pairs of 2,000 points are evaluated one by one.
            EXPECT_LT(figures[0].share, 1e-3) << figures[0].name;
            EXPECT_LT(figures[1].share, 5e-3) << figures[1].name;
            EXPECT_LT(figures[2].share, 5e-3) << figures[2].name;
            EXPECT_LT(std::abs(figures[3].share), 2e-3) << figures[3].name;
        }
}

TEST(Radiosity, LinksAreTheSameWhateverThreadsFindThem) {
    ImageF first;
    for (const char* threads : {"pairs", "pair-teams", "nodes", "teams"}) {
        auto scene = std::make_shared<Scene>();
        generate(*scene, "cornell-box", {{"blocks", "true"}});
        scene->settings["radiosity"]["link-threads"] = threads;
        ImageF image = render_radiance(*devices()[0], with_renderer(scene, "600"), {16, 16}, 1);
        if (first.rgb.empty()) first = image;
        EXPECT_EQ(test::mean_difference(first, image), 0) << threads;
    }
}

ImageF next_picture(Session& session) {
    session.begin_frame();
    session.render_frame();
    session.end_frame();
    return session.film().radiance(session.stream());
}

std::uint64_t count_of(Session& session, const std::string& name) {
    for (auto& count : session.inspection().frame_counts())
        if (count.name == name) return count.value;
    ADD_FAILURE() << "no count of " << name;
    return 0;
}

TEST(Radiosity, OtherLightsAndMaterialsNeedNoOtherLinks) {
    constexpr const char* kLinksMade = "times that links were made";
    for (Device* device : devices())
        for (const char* mode : kModes) {
            SCOPED_TRACE(device->name() + ", " + mode);
            auto scene = with_renderer(cornell_box("radiosity"), "600");
            scene->settings["radiosity"]["mode"] = mode;
            EditedScene document(scene);
            Session session(*device);
            session.set_scene(scene);
            session.resize({16, 16});
            ImageF before = next_picture(session);
            auto n_points = count_of(session, "points");
            ASSERT_EQ(count_of(session, kLinksMade), 1u);
            SceneEdits dark, moved, black, green, glow;
            dark.lights[0] = moved.lights[0] = scene->lights[0];
            dark.lights[0].radiance = vec3(0);
            moved.lights[0].position += vec3(0.05f, -0.1f, 0.03f);
            black.materials[1] = green.materials[1] = scene->materials[1];
            glow.materials[2] = scene->materials[2];
            black.materials[1].diffuse = vec3(0);
            green.materials[1].diffuse = vec3(0.1f, 0.8f, 0.1f);
            glow.materials[2].emission = vec3(1);
            for (auto& edits : {dark, moved, black, green, glow}) {
                session.follow_scene(document.apply(edits));
                EXPECT_GT(test::mean_difference(next_picture(session), before), 1e-3);
                EXPECT_EQ(count_of(session, kLinksMade), 1u);
                EXPECT_EQ(count_of(session, "points"), n_points);
            }
            session.follow_scene(document.apply({}));
            EXPECT_EQ(test::mean_difference(next_picture(session), before), 0);
            // Only points move.
            SceneEdits block;
            block.objects[{ObjectKind::mesh, 1}].translate = {0, 0.02, 0};
            session.follow_scene(document.apply(block));
            (void)next_picture(session);
            EXPECT_EQ(count_of(session, kLinksMade), 2u);
        }
}

/// Compares a session that has followed the motion with one that starts at that moment: both have
/// the same pixels and counts. Returns the fraction of pairs of groups whose visibility the former
/// had cached.
double known_share_beside(Session& followed, const std::shared_ptr<Scene>& scene) {
    ImageF picture = next_picture(followed);
    Session anew(followed.device());
    anew.set_scene(scene);
    anew.resize({16, 16});
    anew.time = followed.time;
    ImageF expected = next_picture(anew);
    EXPECT_TRUE(picture.rgb == expected.rgb);
    const std::string kKnown = "pairs of groups in the visibility cache";
    for (auto& count : anew.inspection().frame_counts())
        if (count.name != kKnown && count.name != "visibility rays" &&
            count.name != "times that links were made") {
            EXPECT_EQ(count_of(followed, count.name), count.value) << count.name;
        }
    EXPECT_EQ(count_of(anew, kKnown), 0u);
    return double(count_of(followed, kKnown)) /
           double(count_of(followed, "pairs of groups tested"));
}

TEST(Radiosity, LinksOfWhatHasBeenMovedAreThoseOfAScenePutThere) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (const char* mode : {"hierarchical", "fmm"}) {
            auto scene = cornell_box("radiosity");
            scene->settings["radiosity"]["mode"] = mode;
            EditedScene document(scene);
            Session session(*device);
            session.set_scene(scene);
            session.resize({16, 16});
            (void)next_picture(session);
            for (int frame = 1; frame <= 4; ++frame) {
                SCOPED_TRACE(device->name() + ", " + mode + ", " + std::to_string(frame));
                SceneEdits edits;
                edits.objects[{ObjectKind::mesh, 1}].translate = {0.02 * frame, 0.03, 0};
                if (frame >= 3) {  // which takes no links
                    edits.lights[0] = scene->lights[0];
                    edits.lights[0].position.y = 0.45f;
                }
                session.follow_scene(document.apply(edits));
                double share = known_share_beside(session, document.scene());
                EXPECT_EQ(share > 0, frame > 1);
            }
        }
}

/// Blocks in a room, one of which walks about.
std::shared_ptr<Scene> room_of_blocks() {
    auto scene = cornell_box("radiosity");
    Mesh block = scene->meshes[1];
    scene->meshes.resize(1);
    block.instanced = true;
    scene->meshes.push_back(block);
    for (int i = 0; i < 9; ++i) {
        constexpr float kSize = 0.3f;
        Instance instance{.mesh = 1};
        for (int axis = 0; axis < 3; ++axis) instance.transform[axis][axis] = kSize;
        vec3 place(0.08f + 0.16f * static_cast<float>(i % 3), 0.01f,
                   0.08f + 0.16f * static_cast<float>(i / 3));
        instance.transform[3] = vec4(place, 1);
        scene->instances.push_back(instance);
    }
    scene->instances[0].walk = {.radius = 0.03f, .speed = 0.05f};
    scene->duration = 4;
    return scene;
}

TEST(Radiosity, LinksPastWhichSomethingSmallMovesAreMostlyKept) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = with_renderer(room_of_blocks(), "2000");
        Session session(*device);
        session.set_scene(scene);
        session.resize({16, 16});
        (void)next_picture(session);
        for (int frame = 1; frame <= 3; ++frame) {
            SCOPED_TRACE(device->name() + ", " + std::to_string(frame));
            session.time = 0.25f * static_cast<float>(frame);
            double share = known_share_beside(session, scene);
            if (frame > 1) {
                EXPECT_GT(share, 0.7);
            }
        }
        session.settings().set("radiosity", "link-memory", "false");
        session.time = 1;
        EXPECT_EQ(known_share_beside(session, scene), 0);
    }
}

/// Enough points that some sides are dark whose visibility rays could differ each time.
TEST(Radiosity, PointsAreFoundOnce) {
    auto scene = with_renderer(cornell_box("radiosity"), "10000");
    scene->settings["radiosity"]["bounces"] = "0";
    Session session(*devices()[0]);
    session.set_scene(scene);
    session.resize({4, 4});
    (void)next_picture(session);
    auto n_points = count_of(session, "points");
    for (const char* samples : {"1", "2", "3"}) {
        session.settings().set("radiosity", "light-samples", samples);
        session.restart();
        (void)next_picture(session);
        EXPECT_EQ(count_of(session, "points"), n_points);
    }
}

TEST(Radiosity, ALampThatHasBeenMovedLightsAsIfItHadAlwaysBeenThere) {
    auto edited = [](bool at_once) {
        auto scene = cornell_box("radiosity");
        EditedScene document(scene);
        Session session(*devices()[0]);
        session.set_scene(scene);
        session.resize({24, 24});
        if (!at_once) (void)next_picture(session);
        SceneEdits edits;
        edits.lights[0] = scene->lights[0];
        edits.lights[0].position += vec3(0.05f, -0.1f, 0.03f);
        edits.materials[1] = scene->materials[1];
        edits.materials[1].diffuse = vec3(0.1f, 0.8f, 0.1f);
        session.follow_scene(document.apply(edits));
        return test::mean_of(next_picture(session));
    };
    // Only the random numbers of quantities sampled with the points differ, by their order.
    vec3 moved = edited(false), anew = edited(true);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(moved[c] / anew[c], 1, 2e-3f);
}

/// Light of points beside a wall does not leak from a dark room whose floor continues behind it,
/// nor does that room darken it.
TEST(Radiosity, NoLightLeaksAlongAFloorThatGoesOnUnderAWall) {
    TL_LONG_TEST();
    auto mean_over = [](Device& device, float dark_room, float x) {
        auto scene = std::make_shared<Scene>();
        scene->materials = {test::diffuse(0.8f)};
        Mesh rooms;
        add_box(rooms, {-1, 0, 0}, {-0.001f, 1, 1}, 0);
        add_box(rooms, {dark_room, 0, 0}, {dark_room + 1, 1, 1}, 0);
        scene->meshes = {rooms};
        scene->lights = {test::point_light({-0.5f, 0.7f, 0.5f}, 1)};
        scene->camera = {{x, 0.3f, 0.2f}, {x, 0, 0.2f}, {0, 0, 1}, 20};
        return test::mean_of(render_radiance(device, with_renderer(scene, "20000"), {24, 24}, 4));
    };
    constexpr float kNear = 0.001f, kAway = 3;
    for (Device* device : devices()) {
        // The other room changes the points' positions, and with them the mean by some thousandths.
        float lit = mean_over(*device, kAway, -0.06f).x;
        EXPECT_NEAR(mean_over(*device, kNear, -0.06f).x / lit, 1, 0.01f) << device->name();
        EXPECT_EQ(mean_over(*device, kNear, 0.15f).x, 0) << device->name();
    }
}

/// Also where only the emitter has changed, so that surfaces are not sampled again.
TEST(Radiosity, ALampThatIsPutIntoADarkRoomLightsIt) {
    constexpr float kAway = 4;
    auto scene = with_renderer(furnace(), "3000");
    scene->settings["radiosity"]["bounces"] = "40";
    scene->spheres.push_back({{kAway, 0, 0}, 1, 0});
    scene->camera.eye.x += kAway;
    scene->camera.target.x += kAway;
    for (Device* device : devices()) {
        EditedScene document(scene);
        Session session(*device);
        session.set_scene(scene);
        session.resize({24, 16});
        EXPECT_EQ(test::mean_of(next_picture(session)), vec3(0)) << device->name();
        EXPECT_LT(count_of(session, "points"), 1600u);
        SceneEdits edits;
        edits.lights[0] = scene->lights[0];
        edits.lights[0].position.x += kAway;
        session.follow_scene(document.apply(edits));
        vec3 albedo = scene->materials[0].diffuse;
        for (vec3 seen : next_picture(session).rgb)
            for (int c = 0; c < 3; ++c)
                ASSERT_NEAR(seen[c] * (1 - albedo[c]) / albedo[c], 1, 0.02f) << device->name();
        EXPECT_EQ(count_of(session, "points"), 3000u);
        // Points that were lit remain, and are dark again.
        session.follow_scene(document.apply({}));
        EXPECT_LT(test::mean_of(next_picture(session)).z, 1e-5f) << device->name();
        EXPECT_EQ(count_of(session, "points"), 3000u);
    }
}

}  // namespace
}  // namespace tl::radiosity_tests
