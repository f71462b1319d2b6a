// Compares the thin lens with closed formulas, on every device of the machine.
#include <gtest/gtest.h>

#include "renderer/shading/camera_rays.h"
#include "tests/image/picture.h"

namespace tl::camera_tests {
namespace {

using test::half_plane_scene;
using test::mean_of;
using test::render_radiance;

TEST(ThinLens, AllRaysOfAPositionMeetInThePlaneOfFocus) {
    Camera camera{{1, 2, 3}, {-1, 0.5f, 0}, {0, 1, 0}, 40};
    camera.lens_radius = 0.3f;
    camera.focus_distance = 2;
    CameraRays rays(camera, {200, 100});
    vec3 forward = glm::normalize(camera.target - camera.eye);
    for (vec2 pixel : {vec2(0, 0), vec2(100, 50), vec2(199, 10)}) {
        Ray center = rays.through(pixel.x, pixel.y);
        vec3 focus = center.origin + center.direction * (2 / glm::dot(center.direction, forward));
        float widest = 0;
        for (int i = 0; i < 100; ++i) {
            float r1 = (float(i % 10) + 0.5f) / 10, r2 = (float(i / 10) + 0.5f) / 10;
            Ray ray = rays.through(pixel.x, pixel.y, r1, r2);
            vec3 off = ray.origin - camera.eye;
            EXPECT_NEAR(glm::dot(off, forward), 0, 1e-6);
            widest = std::max(widest, glm::length(off));
            vec3 meets = ray.origin + ray.direction * (2 / glm::dot(ray.direction, forward));
            EXPECT_LT(glm::length(meets - focus), 1e-5f);
        }
        EXPECT_LT(widest, 0.3f);
        EXPECT_GT(widest, 0.3f * 0.9f);
    }
}

TEST(ThinLens, FocusesOnTheTargetUnlessToldOtherwise) {
    Camera camera{{0, 0, 5}, {0, 0, 1}, {0, 1, 0}, 40};
    camera.lens_radius = 0.1f;
    EXPECT_EQ(CameraRays(camera, {8, 8}).focus_distance, 4);
}

TEST(ThinLens, BlursAnEdgeByTheShareOfTheLensThatSeesIt) {
    // At distance 1 everything is in focus. A ray from (a, b) on the lens through (x, 0) in the
    // plane of focus arrives at 2 x - a.
    auto scene = half_plane_scene();
    float x = 0.025f, radius = 0.1f;
    scene->camera = {{0, 0, 0}, {x, 0, -1}, {0, 1, 0}, 1, radius, 1};
    float t = 2 * x / radius;
    // The disk's area on one side of a chord at the distance t from its centre.
    float expected = 0.5f + (std::asin(t) + t * std::sqrt(1 - t * t)) / kPi;
    for (Device* device : devices()) {
        float mean = mean_of(render_radiance(*device, scene, {32, 32}, 64)).x;
        EXPECT_NEAR(mean, expected, 1e-2f) << device->name();
    }
    scene->camera.focus_distance = 2;  // on the half plane
    for (Device* device : devices())
        EXPECT_EQ(mean_of(render_radiance(*device, scene, {32, 32}, 4)), vec3(1)) << device->name();
}

}  // namespace
}  // namespace tl::camera_tests
