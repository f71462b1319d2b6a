// The camera responds to mouse and keys.
#include <gtest/gtest.h>

#include <cmath>

#include "app/viewer/views/camera_controller.h"
#include "core/base/error.h"

namespace tl::camera_controller_tests {
namespace {

constexpr float kTolerance = 1e-4f;  // a few hundred float roundings of lengths near 5

float distance(const Camera& c) {
    return glm::length(c.eye - c.target);
}
void expect_near(vec3 a, vec3 b) {
    EXPECT_LT(glm::length(a - b), kTolerance);
}

/// At (0, 0, 5), looking at the origin, a scene of 2 x 2 x 2 about it.
CameraController controller() {
    CameraController c;
    Box bounds;
    bounds.extend(vec3(-1));
    bounds.extend(vec3(1));
    c.set_scene({vec3(0, 0, 5), vec3(0), vec3(0, 1, 0), 45}, bounds);
    return c;
}

TEST(CameraController, OrbitTurnsAboutTheTarget) {
    auto c = controller();
    c.orbit({0.5f, 0});  // a quarter turn: what was in front moves right, the eye goes left
    expect_near(c.camera().eye, vec3(-5, 0, 0));
    expect_near(c.camera().target, vec3(0));
    c.orbit({0, 0.25f});  // down: the eye rises by 45 degrees
    expect_near(c.camera().eye, 5.0f * vec3(-std::sqrt(0.5f), std::sqrt(0.5f), 0));
}

TEST(CameraController, OrbitStopsShortOfThePoles) {
    auto c = controller();
    for (int i = 0; i < 10; ++i) c.orbit({0, 1});
    EXPECT_GT(c.camera().eye.y, 4.9f);
    EXPECT_NEAR(distance(c.camera()), 5, kTolerance);
    EXPECT_GT(glm::length(glm::cross(c.camera().eye, vec3(0, 1, 0))), 0.05f);
    for (int i = 0; i < 10; ++i) c.orbit({0.1f, -1});
    EXPECT_LT(c.camera().eye.y, -4.9f);
}

TEST(CameraController, PanCarriesTheTargetWithTheMouse) {
    auto c = controller();
    c.pan({0, 1});  // a whole height
    float height = 2 * 5 * std::tan(glm::radians(22.5f));
    expect_near(c.camera().target, vec3(0, height, 0));
    c.pan({1, 0});
    expect_near(c.camera().target, vec3(-height, height, 0));
    EXPECT_NEAR(distance(c.camera()), 5, kTolerance);
}

TEST(CameraController, ZoomsTowardsAPointThatStaysInPlace) {
    auto c = controller();
    vec3 point(1, 0.5f, 1);
    vec3 before = glm::normalize(point - c.camera().eye);
    c.zoom_to(point, 3);
    EXPECT_NEAR(glm::length(point - c.camera().eye),
                glm::length(point - vec3(0, 0, 5)) * std::pow(0.9f, 3.0f), kTolerance);
    expect_near(glm::normalize(point - c.camera().eye), before);
    expect_near(glm::normalize(c.camera().target - c.camera().eye), vec3(0, 0, -1));
    c.zoom_to(point, -3);
    expect_near(c.camera().eye, vec3(0, 0, 5));
}

TEST(CameraController, FliesAsFastAsSuitsTheDistanceOfWhatIsInView) {
    auto travelled = [](float seen) {
        auto c = controller();
        c.see(seen);
        c.fly({0, 0, 1}, 0.1f, false);
        return 5 - c.camera().eye.z;
    };
    float by_size = travelled(0), scene = 2 * std::sqrt(3.0f);
    EXPECT_NEAR(by_size, scene / 4 * 0.1f, kTolerance);
    EXPECT_NEAR(travelled(0.3f), 0.3f / 1.5f * 0.1f, kTolerance);
    EXPECT_NEAR(travelled(1000), by_size, kTolerance) << "no faster than the whole scene asks for";
    EXPECT_GT(travelled(1e-20f), 0);
}

TEST(CameraController, ZoomNearsAndLeavesTheTarget) {
    auto c = controller();
    c.zoom(1);
    EXPECT_NEAR(distance(c.camera()), 4.5f, kTolerance);
    c.zoom(-1);
    EXPECT_NEAR(distance(c.camera()), 5, kTolerance);
    c.zoom(1e6f);
    EXPECT_GT(distance(c.camera()), 0);
    c.zoom(-1e6f);
    EXPECT_TRUE(std::isfinite(distance(c.camera())));
}

TEST(CameraController, FlyingMovesEyeAndTargetByTheSceneSize) {
    auto c = controller();
    c.fly({0, 0, 1}, 1, false);
    float step = 5 - c.camera().eye.z;
    EXPECT_NEAR(step, c.scene_size() / 4, kTolerance);
    expect_near(c.camera().target, vec3(0, 0, -step));
    c.fly({1, 0, 0}, 1, true);
    EXPECT_NEAR(c.camera().eye.x, 4 * step, kTolerance);
    c.fly({0, 0, 0}, 1, true);
    EXPECT_NEAR(c.camera().eye.x, 4 * step, kTolerance);
}

TEST(CameraController, LookTurnsAboutTheEye) {
    auto c = controller();
    c.look({0.5f, 0});
    expect_near(c.camera().eye, vec3(0, 0, 5));
    EXPECT_GT(c.camera().target.x, 0.5f);
    EXPECT_NEAR(distance(c.camera()), 5, kTolerance);
    c.look({0, 0.5f});
    EXPECT_LT(c.camera().target.y, -0.5f);
}

TEST(CameraController, HomeReturnsToTheScenesCamera) {
    auto c = controller();
    c.orbit({0.3f, 0.2f});
    c.zoom(3);
    c.home();
    expect_near(c.camera().eye, vec3(0, 0, 5));
}

TEST(CameraController, FrameAllShowsEverythingFromThisSide) {
    auto c = controller();
    c.orbit({0.2f, 0.1f});
    vec3 before = glm::normalize(c.camera().target - c.camera().eye);
    c.pan({3, 1});
    c.frame_all(1.5f);
    auto& camera = c.camera();
    vec3 forward = glm::normalize(camera.target - camera.eye);
    expect_near(forward, before);
    for (int corner = 0; corner < 8; ++corner) {
        vec3 p(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
        float cosine = glm::dot(glm::normalize(p - camera.eye), forward);
        // The corners of a picture with this aspect ratio are 36 degrees from its centre.
        EXPECT_GT(cosine, std::cos(glm::radians(36.8f))) << corner;
    }
}

TEST(CameraController, DegenerateCamerasDoNotBreak) {
    CameraController c;
    c.set_scene({vec3(0), vec3(0), vec3(0), 45}, Box{});
    c.orbit({0.1f, 0.1f});
    c.look({0.1f, 0.1f});
    c.pan({0.1f, 0.1f});
    c.zoom(1);
    c.fly({1, 1, 1}, 0.1f, false);
    EXPECT_TRUE(std::isfinite(glm::length(c.camera().eye)));
    // Straight down, with `up` along the view.
    c.set_camera({vec3(0, 5, 0), vec3(0), vec3(0, 1, 0), 45});
    c.orbit({0.1f, 0.1f});
    c.pan({0.1f, 0.1f});
    EXPECT_TRUE(std::isfinite(glm::length(c.camera().eye)));
}

TEST(CameraController, FlagsSayTheCameraExactly) {
    EXPECT_EQ(camera_flags({vec3(-1, 0.5f, 2), vec3(0), vec3(0, 1, 0), 40}),
              "--eye=-1,0.5,2 --target=0,0,0 --up=0,1,0 --fov=40 --lens-radius=0");
}

TEST(CameraController, StandardViewsShowTheSceneFromTheirSides) {
    for (vec3 up : {vec3(0, 1, 0), vec3(0, 0, 1), vec3(0, -1, 0), vec3(1, 0, 0)}) {
        Camera home;
        home.up = glm::normalize(up + vec3(0.05f));
        CameraController controller;
        controller.set_scene(home, {{-1, -2, -3}, {1, 2, 3}});
        EXPECT_EQ(controller.up_axis(), up);
        auto way = [&](ViewSide side) {
            controller.show_side(side);
            controller.frame_all(1.5f);
            auto& camera = controller.camera();
            EXPECT_EQ(camera_fault(camera), "");
            EXPECT_EQ(camera.up, up);
            return glm::normalize(camera.eye - camera.target);
        };
        // The views from above and below tilt the camera by 1e-3, so that its up direction is
        // defined; the difference of eye and target is rounded to some 1e-6 of itself.
        auto expect_near = [](vec3 a, vec3 b) { EXPECT_LT(glm::length(a - b), 1.01e-3f); };
        vec3 front = way(ViewSide::front), right = way(ViewSide::right);
        expect_near(glm::cross(up, front), right);
        expect_near(way(ViewSide::back), -front);
        expect_near(way(ViewSide::left), -right);
        expect_near(way(ViewSide::top), up);
        expect_near(way(ViewSide::bottom), -up);
        expect_near(way(ViewSide::isometric), glm::normalize(front + right + up));
    }
}

TEST(CameraController, FlagsAreReadBack) {
    Camera camera{vec3(0.1f, -2, 1e-7f), vec3(3, 1.0f / 3, 5), vec3(0, 0, 1), 31.5f, 0.25f, 7};
    EXPECT_EQ(parse_camera_flags(camera_flags(camera), {}), camera);
    EXPECT_EQ(parse_camera_flags("treelight view --eye 1,2,3 x.toml", camera).eye, vec3(1, 2, 3));
    for (auto* wrong : {"", "hello", "--eye", "--eye=1,2", "--eye=1,2,3,4", "--eye=1,2,x",
                        "--fov=0", "--eye=0,0,5 --target=0,0,5", "--lens-radius=-1"})
        EXPECT_THROW((void)parse_camera_flags(wrong, {}), UserError) << wrong;
}

}  // namespace
}  // namespace tl::camera_controller_tests
