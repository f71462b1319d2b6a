// Motion blur: a picture with an open shutter is the mean of still pictures of its moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <glm/gtc/constants.hpp>

#include "renderer/scene/camera_path.h"
#include "tests/device_test.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"

namespace tl::motion_blur_tests {
namespace {

constexpr float kDuration = 4, kShutter = 0.4f;
constexpr Extent kExtent{40, 30};

/// Mean over `n` moments of a shutter, spread evenly, of still pictures of one sample each.
/// `camera`: at a time; null: the scene's.
ImageF mean_of_stills(Device& device, const std::shared_ptr<Scene>& scene, int n,
                      const MovingCamera& camera = nullptr) {
    Session session(device);
    session.set_scene(scene);
    session.resize(kExtent);
    ImageF mean{kExtent, std::vector<vec3>(std::size_t(kExtent.pixels()), vec3(0))};
    for (int i = 0; i < n; ++i) {
        session.seed = std::uint64_t(i) + 1;
        session.time = kShutter * (float(i) + 0.5f) / float(n);
        if (camera) session.camera = camera(double(session.time));
        session.restart();
        session.begin_frame();
        session.render_frame();
        session.end_frame();
        auto still = session.film().radiance(session.stream());
        for (std::size_t k = 0; k < still.rgb.size(); ++k) mean.rgb[k] += still.rgb[k] / float(n);
    }
    return mean;
}

/// The picture with an open shutter.
ImageF blurred(Device& device, const std::shared_ptr<Scene>& scene, int spp, int times,
               const MovingCamera& camera = nullptr) {
    Session session(device);
    session.set_scene(scene);
    session.resize(kExtent);
    session.settings().set("sampling", "shutter", std::to_string(kShutter));
    session.settings().set("sampling", "shutter-times", std::to_string(times));
    session.moving_camera = camera;
    for (int i = 0; i < spp; ++i) {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    return session.film().radiance(session.stream());
}

/// Three blades that turn before a wall, once in the scene's duration. `renderer`: an id, for the
/// photon mapper with its mode, "photon sppm".
std::shared_ptr<Scene> propeller(const std::string& renderer) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {test::diffuse(0.7f), test::diffuse(0.2f)};
    Mesh wall;
    wall.positions = {{-4, -4, -1}, {4, -4, -1}, {4, 4, -1}, {-4, 4, -1}};
    wall.triangles = {{0, 1, 2}, {0, 2, 3}};
    wall.material_of_triangle = {0, 0};
    Mesh blades;
    for (int i = 0; i < 3; ++i) {
        float angle = glm::two_pi<float>() * float(i) / 3;
        vec3 along(std::cos(angle), std::sin(angle), 0), across(-along.y, along.x, 0);
        auto first = std::uint32_t(blades.positions.size());
        for (vec3 p : {0.1f * across, -0.1f * across, 1.4f * along - 0.2f * across,
                       1.4f * along + 0.2f * across})
            blades.positions.push_back(p);
        blades.triangles.emplace_back(first, first + 1, first + 2);
        blades.triangles.emplace_back(first, first + 2, first + 3);
    }
    blades.material_of_triangle.assign(6, 1);
    blades.animation.kind = AnimationKind::rigid;
    Joint joint;
    for (int i = 0; i <= 4; ++i) {
        joint.rotation.times.push_back(kDuration * float(i) / 4);
        joint.rotation.values.push_back(
            glm::angleAxis(glm::half_pi<float>() * float(i), vec3(0, 0, 1)));
    }
    blades.animation.rigid.joints = {joint};
    scene->meshes = {wall, blades};
    scene->duration = kDuration;
    scene->lights = {test::point_light({0.5f, 1, 3}, 20)};
    scene->camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 40};
    auto space = renderer.find(' ');
    scene->settings["render"]["renderer"] = renderer.substr(0, space);
    scene->settings["photon"]["photons"] = "2000";
    if (space != std::string::npos) scene->settings["photon"]["mode"] = renderer.substr(space + 1);
    return scene;
}

class MotionBlur : public testing::TestWithParam<std::string> {};

TEST_P(MotionBlur, IsTheMeanOfStillPictures) {
    TL_LONG_TEST();
    for (Device* device : devices()) {
        auto scene = propeller(GetParam());
        auto expected = mean_of_stills(*device, scene, 256);
        auto still = test::render_radiance(*device, scene, kExtent, 64);
        double moved = test::mean_difference(expected, still);
        EXPECT_GT(moved, 0.01) << device->name();
        for (int times : {1, 8}) {
            auto found = blurred(*device, scene, 128, times);
            // Without photons, edges have the noise of 128 moments; density estimates of few
            // photons have more, which sppm and vcm spread over fewer pixels.
            double most = GetParam().starts_with("photon") ? 0.3 : 0.06;
            EXPECT_LT(test::mean_difference(expected, found), most * moved)
                << device->name() << ", " << times << " moments a sample";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Renderers, MotionBlur,
                         testing::Values("whitted", "path", "photon", "photon sppm", "photon vcm"),
                         [](auto& about) {
                             std::string name = about.param;
                             std::ranges::replace(name, ' ', '_');
                             return name;
                         });

TEST(MotionBlur, SpreadsOneSampleOverTheShutter) {
    for (Device* device : devices()) {
        auto scene = propeller("whitted");
        auto expected = mean_of_stills(*device, scene, 256);
        auto sharp = blurred(*device, scene, 1, 1), spread = blurred(*device, scene, 1, 16);
        // Means over 5 x 5 pixels, in which many moments meet.
        auto smooth = [](const ImageF& image) {
            ImageF mean{{kExtent.width / 5, kExtent.height / 5}, {}};
            for (int y = 0; y < mean.extent.height; ++y)
                for (int x = 0; x < mean.extent.width; ++x) {
                    vec3 sum(0);
                    for (int k = 0; k < 25; ++k)
                        sum +=
                            image.rgb[std::size_t((5 * y + k / 5) * kExtent.width + 5 * x + k % 5)];
                    mean.rgb.push_back(sum / 25.0f);
                }
            return mean;
        };
        double of_spread = test::mean_difference(smooth(expected), smooth(spread));
        double of_sharp = test::mean_difference(smooth(expected), smooth(sharp));
        EXPECT_LT(of_spread, 0.35 * of_sharp) << device->name();
    }
}

TEST(MotionBlur, CountsRaysAndSamplesOfAllParts) {
    for (Device* device : devices()) {
        Session session(*device);
        session.set_scene(propeller("whitted"));
        session.resize(kExtent);
        session.settings().set("sampling", "shutter", std::to_string(kShutter));
        session.settings().set("sampling", "shutter-times", "7");
        for (int i = 0; i < 2; ++i) {
            session.begin_frame();
            session.render_frame();
            session.end_frame();
        }
        EXPECT_EQ(session.samples(), 2u);
        EXPECT_EQ(session.film().mean_samples(session.stream()), 2.0f) << device->name();
        EXPECT_GE(session.film().rays_of_frame(session.scratch()), std::uint64_t(kExtent.pixels()));
    }
}

TEST(MotionBlur, OfAMovingCamera) {
    for (Device* device : devices()) {
        auto scene = propeller("path");
        scene->duration = 0;
        scene->meshes[1].animation = {};
        MovingCamera camera = [from = scene->camera](double time) {
            Camera moved = from;
            moved.eye.x += 6 * float(time);
            return moved;
        };
        auto expected = mean_of_stills(*device, scene, 256, camera);
        auto found = blurred(*device, scene, 128, 1, camera);
        double moved =
            test::mean_difference(expected, test::render_radiance(*device, scene, kExtent, 64));
        EXPECT_GT(moved, 0.01) << device->name();
        // Edges of both pictures are noisy: they have few samples in each of many moments.
        EXPECT_LT(test::mean_difference(expected, found), 0.1 * moved) << device->name();
    }
}

TEST(MotionBlur, LeavesStillScenesAsTheyAre) {
    auto scene = propeller("path");
    scene->duration = 0;
    scene->meshes[1].animation = {};
    for (Device* device : devices())
        EXPECT_EQ(blurred(*device, scene, 2, 4).rgb,
                  test::render_radiance(*device, scene, kExtent, 2).rgb)
            << device->name();
}

}  // namespace
}  // namespace tl::motion_blur_tests
