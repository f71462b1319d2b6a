// Emissive surfaces as lights: moving ones, patches, textured spheres and surfaces with holes. They
// illuminate like the same surfaces at rest, and equally by next-event estimation, BSDF sampling
// and emitted photons.
#include <gtest/gtest.h>

#include <map>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::glowing_surfaces_tests {
namespace {

using test::add_parallelogram;
using test::diffuse;
using test::floor_under_lamp;
using test::floor_under_picture;
using test::mean_of;

/// Factor for tolerances under sanitizers, where only one or few samples are taken.
constexpr double kWider = test::kSanitized ? 100 : 1;

ImageF render(Device& device, Scene scene, const char* renderer, int spp, float time = 0) {
    scene.settings["render"]["renderer"] = renderer;
    if (test::kSanitized) {
        spp = (spp + 127) / 128;
        scene.settings["photon"]["photons"] = "1000";
    }
    Session session(device);
    session.set_scene(std::make_shared<Scene>(std::move(scene)));
    session.resize({60, 40});
    // A frame at another time comes first: no light may remain from it.
    session.time = 0;
    for (int i = 0; i <= spp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        session.time = time;
    }
    return session.film().radiance(session.stream());
}

void expect_near(vec3 seen, vec3 expected, double tolerance, const std::string& what) {
    for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(double(seen[c]) / double(expected[c]), 1, tolerance * kWider)
            << what << ", channel " << c;
}

constexpr float kDuration = 2;

/// Mesh light over a floor, at rest at the position that `move` defines.
template <class Move>
Scene lamp_moved_by(Move&& move) {
    Scene scene = *floor_under_lamp(3);
    for (vec3& p : scene.meshes[1].positions) p = move(p);
    return scene;
}
vec3 turned_aside(vec3 p) {
    // Rotation by 40 degrees, so that the light faces aside.
    constexpr float kCos = 0.76604444f, kSin = 0.64278761f;
    vec3 q = p - vec3(0, 1.5f, -1);
    return vec3(kCos * q.x - kSin * q.y, kSin * q.x + kCos * q.y, q.z) + vec3(1.2f, 1, -0.4f);
}

/// Mesh light with keyframes; the second one, at half the duration, is `move`'s.
template <class Start, class Move>
Scene lamp_with_frames(Start&& start, Move&& move) {
    Scene scene = lamp_moved_by(start);
    Mesh& lamp = scene.meshes[1];
    scene.duration = kDuration;
    lamp.animation.kind = AnimationKind::frames;
    lamp.frames.resize(2);
    lamp.frames[0].positions = lamp.positions;
    lamp.frames[1].positions = lamp_moved_by(move).meshes[1].positions;
    return scene;
}
Scene lamp_that_turns() {
    Scene scene = *floor_under_lamp(3);
    scene.duration = kDuration;
    Animation& animation = scene.meshes[1].animation;
    animation.kind = AnimationKind::rigid;
    Joint joint;
    joint.translation = {{0, kDuration / 2, kDuration}, {vec3(0), vec3(1, -0.5f, 1), vec3(0)}};
    joint.rotation = {{0, kDuration / 2, kDuration},
                      {glm::angleAxis(0.0f, vec3(0, 0, 1)), glm::angleAxis(0.8f, vec3(0, 0, 1)),
                       glm::angleAxis(0.0f, vec3(0, 0, 1))}};
    animation.rigid.joints = {joint};
    return scene;
}
Scene lamp_that_explodes() {
    Scene scene = *floor_under_lamp(3);
    scene.duration = kDuration;
    Animation& animation = scene.meshes[1].animation;
    animation.kind = AnimationKind::explode;
    animation.center = {0, 2.5f, -1};
    animation.distance = 0.7f;
    return scene;
}
Scene lamp_that_waves() {
    Scene scene = *floor_under_lamp(3);
    scene.duration = kDuration;
    Animation& animation = scene.meshes[1].animation;
    animation.kind = AnimationKind::wave;
    animation.height = 0.5f;
    return scene;
}
/// Instances of the mesh light, two of which move; their mesh may move as well.
Scene lamps_that_walk(bool mesh_moves) {
    Scene scene = *test::floor_under_instances();
    scene.duration = kDuration;
    for (std::size_t i : {1u, 2u}) scene.instances[i].walk = {.radius = i == 1 ? 0.6f : -0.8f};
    if (mesh_moves) {
        scene.meshes[1].animation.kind = AnimationKind::wave;
        scene.meshes[1].animation.height = 0.4f;
    }
    return scene;
}

/// A floor under a patch of about 2 m x 1 m, bent up by `bend` in the middle, that shines down.
Scene floor_under_patch(float bend, bool rational = false) {
    Scene scene = *floor_under_lamp(1);
    scene.meshes.pop_back();
    PatchSet set;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            float u = float(i) / 3, v = float(j) / 3;
            bool inner = i % 3 != 0 && j % 3 != 0;
            set.points.emplace_back(-1 + 2 * u, 1.5f + (inner ? bend : 0), -1.5f + v);
            if (rational) set.weights.push_back(inner ? 2.0f : 1);
        }
    set.material_of_patch = {1};
    scene.patches = {set};
    return scene;
}
Scene floor_under_patch_with_picture() {
    Scene scene = floor_under_patch(0.6f);
    scene.textures = floor_under_picture()->textures;
    scene.materials[1].emission *= 4;
    scene.materials[1].emission_texture = 0;
    return scene;
}
Scene floor_under_patch_that_waves() {
    Scene scene = floor_under_patch(0);
    scene.duration = kDuration;
    scene.patches[0].animation.kind = AnimationKind::wave;
    scene.patches[0].animation.height = 0.5f;
    return scene;
}
/// Mesh light or sphere whose holes are given by the picture's red channel.
Scene floor_under_holes() {
    Scene scene = *floor_under_picture();
    Texture& picture = scene.textures[0];
    for (std::size_t i = 0; i < 64; ++i) picture.rgba[4 * i + 3] = i % 3 == 0 ? 0 : 255;
    scene.materials[1].emission_texture = -1;
    scene.materials[1].alpha_texture = 0;
    return scene;
}
Scene floor_under_ball_with_picture() {
    Scene scene = *floor_under_picture();
    scene.meshes.pop_back();
    scene.spheres = {{{0.2f, 1.3f, -0.5f}, 0.4f, 1}};
    return scene;
}

constexpr float kTime = kDuration / 2;

std::map<std::string, Scene> glowing_scenes() {
    return {{"turning", lamp_that_turns()},
            {"exploding", lamp_that_explodes()},
            {"waving", lamp_that_waves()},
            {"walking", lamps_that_walk(false)},
            {"walking and waving", lamps_that_walk(true)},
            {"flat patch", floor_under_patch(0)},
            {"bent patch", floor_under_patch(0.8f)},
            {"rational patch", floor_under_patch(-0.5f, true)},
            {"patch with picture", floor_under_patch_with_picture()},
            {"waving patch", floor_under_patch_that_waves()},
            {"holes", floor_under_holes()},
            {"ball with picture", floor_under_ball_with_picture()}};
}

TEST(GlowingSurfaces, EveryWayToFindThemGivesTheSameMean) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (auto& [name, scene] : glowing_scenes()) {
            auto image_by = [&, &scene = scene](const char* technique, int spp) {
                Scene by = scene;
                by.settings["path"]["find-lights"] = technique;
                return render(*device, by, "path", spp, kTime * 0.73f);
            };
            auto both = image_by("both", 256);
            for (auto* technique : {"lights", "surfaces"})
                expect_near(mean_of(image_by(technique, 256)), mean_of(both), 0.012,
                            name + ", " + technique + " on " + device->name());
            if (test::kSanitized) continue;
            // Next-event estimation has less noise than BSDF sampling.
            EXPECT_LT(1.5 * test::mean_difference(image_by("both", 16), both),
                      test::mean_difference(image_by("surfaces", 16), both))
                << name << device->name();
        }
}

TEST(GlowingSurfaces, ThatMoveLightLikeThoseAtRest) {
    TL_LONG_TEST();
    auto as_they_are = [](vec3 p) { return p; };
    auto without_size = [](vec3) { return vec3(0, 3, 0); };
    for (Device* device : devices()) {
        vec3 at_rest = mean_of(render(*device, lamp_moved_by(turned_aside), "path", 512));
        vec3 moved = mean_of(
            render(*device, lamp_with_frames(as_they_are, turned_aside), "path", 512, kTime));
        expect_near(moved, at_rest, 0.004, "moved on " + device->name());
        // Grows from zero size: at rest the light is a single point.
        vec3 grown = mean_of(
            render(*device, lamp_with_frames(without_size, turned_aside), "path", 512, kTime));
        expect_near(grown, at_rest, 0.004, "grown on " + device->name());
    }
}

TEST(GlowingSurfaces, APatchLightsLikeALampThatFillsItsRim) {
    TL_LONG_TEST();
    // Seen from below, a bowl of uniform emission looks like its opening.
    for (Device* device : devices()) {
        vec3 lamp = mean_of(render(*device, *floor_under_lamp(0), "path", 512));
        for (float bend : {0.0f, 0.8f})
            expect_near(mean_of(render(*device, floor_under_patch(bend), "path", 512)), lamp, 0.004,
                        "bent by " + std::to_string(bend) + " on " + device->name());
    }
}

/// White and red walls around the scene, which is lifted from its own floor.
void add_walls(Scene& scene) {
    auto white = static_cast<std::int32_t>(scene.materials.size());
    scene.materials.push_back(diffuse(0.7f));
    scene.materials.push_back(diffuse(0.7f));
    scene.materials.back().diffuse = vec3(0.7f, 0.2f, 0.1f);
    Mesh walls;
    add_parallelogram(walls, {-3, -0.2f, -3}, {0, 0, 6}, {6, 0, 0}, white);
    add_parallelogram(walls, {-3, -0.2f, -3}, {6, 0, 0}, {0, 3, 0}, white);
    add_parallelogram(walls, {-3, -0.2f, -3}, {0, 3, 0}, {0, 0, 6}, white + 1);
    add_parallelogram(walls, {3, -0.2f, -3}, {0, 0, 6}, {0, 3, 0}, white);
    scene.meshes.push_back(walls);
    scene.camera = {{0, 1.4f, 4.5f}, {0, 1, 0}, {0, 1, 0}, 60};
}

TEST(GlowingSurfaces, SendOutPhotonsThatLightLikePaths) {
    TL_LONG_TEST();
    for (Device* device : devices())
        for (auto& [name, scene] : glowing_scenes()) {
            scene.meshes[0] = {};  // the glossy floor
            add_walls(scene);
            scene.settings["path"]["max-depth"] = "8";
            scene.settings["photon"]["max-depth"] = "8";
            scene.settings["photon"]["photons"] = "20000";
            auto photons = render(*device, scene, "photon", 32, kTime * 0.73f);
            auto paths = render(*device, scene, "path", 192, kTime * 0.73f);
            expect_near(mean_of(photons), mean_of(paths), 0.02, name + " on " + device->name());
        }
}

TEST(GlowingSurfaces, TakeThePlaceOfDefaultLights) {
    TL_LONG_TEST();
    Scene lamp = *floor_under_lamp(3);
    lamp.settings["photon"]["photons"] = "20000";
    Scene with_default = lamp, dark = lamp;
    Light sun;
    sun.kind = LightKind::directional;
    with_default.lights = {sun};
    with_default.default_lights = true;
    dark.materials[1].emission = vec3(0);
    Scene dark_with_default = with_default;
    dark_with_default.materials[1].emission = vec3(0);
    for (Device* device : devices()) {
        for (auto* renderer : {"path", "photon"}) {
            expect_near(mean_of(render(*device, with_default, renderer, 128)),
                        mean_of(render(*device, lamp, renderer, 128)), 0.01,
                        std::string(renderer) + " on " + device->name());
            EXPECT_EQ(mean_of(render(*device, dark, renderer, 4)), vec3(0));
            EXPECT_GT(mean_of(render(*device, dark_with_default, renderer, 4)).x, 0.01f)
                << renderer << device->name();
        }
        // Renderers that do not sample emission use the default lights for this scene.
        EXPECT_GT(mean_of(render(*device, with_default, "whitted", 1)).x,
                  2 * mean_of(render(*device, lamp, "whitted", 1)).x);
    }
}

}  // namespace
}  // namespace tl::glowing_surfaces_tests
