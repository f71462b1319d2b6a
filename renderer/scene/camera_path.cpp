#include "renderer/scene/camera_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace tl {
namespace {

/// All numbers of a camera, in double, so that a long path is not jagged.
using CameraNumbers = std::array<double, 12>;

CameraNumbers numbers_of(const Camera& c) {
    CameraNumbers numbers{};
    std::size_t next = 0;
    for (vec3 v : {c.eye, c.target, c.up})
        for (int axis = 0; axis < 3; ++axis) numbers[next++] = double(v[axis]);
    for (float value : {c.vertical_fov, c.lens_radius, c.focus_distance})
        numbers[next++] = double(value);
    return numbers;
}

Camera camera_of(const CameraNumbers& numbers) {
    Camera c;
    std::size_t next = 0;
    for (vec3* v : {&c.eye, &c.target, &c.up})
        for (int axis = 0; axis < 3; ++axis) (*v)[axis] = static_cast<float>(numbers[next++]);
    // The cubic may overshoot its keys.
    c.vertical_fov = std::clamp(static_cast<float>(numbers[9]), kNarrowestFov, kWidestFov);
    c.lens_radius = std::max(static_cast<float>(numbers[10]), 0.0f);
    c.focus_distance = std::max(static_cast<float>(numbers[11]), 0.0f);
    return c;
}

}  // namespace

CameraPath::CameraPath(std::vector<TimedCamera> cameras) : cameras_(std::move(cameras)) {}

Camera CameraPath::at(double time) const {
    auto later = std::ranges::upper_bound(cameras_, time, {}, &TimedCamera::time);
    if (later == cameras_.begin()) return cameras_.front().camera;
    if (later == cameras_.end()) return cameras_.back().camera;
    auto i = static_cast<std::size_t>(later - cameras_.begin()) - 1;
    std::size_t first = i > 0 ? i - 1 : 0, last = std::min(i + 2, cameras_.size() - 1);
    auto p = [&](std::size_t k) { return numbers_of(cameras_[k].camera); };
    auto t = [&](std::size_t k) { return cameras_[k].time; };
    auto before = p(first), from = p(i), to = p(i + 1), after = p(last);
    double length = t(i + 1) - t(i), u = (time - t(i)) / length, v = 1 - u;
    CameraNumbers numbers{};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        double speed_from = (to[k] - before[k]) / (t(i + 1) - t(first));
        double speed_to = (after[k] - from[k]) / (t(last) - t(i));
        numbers[k] = v * v * (1 + 2 * u) * from[k] + u * u * (1 + 2 * v) * to[k] +
                     u * v * length * (v * speed_from - u * speed_to);
    }
    return camera_of(numbers);
}

Camera turned_about_target(const Camera& camera, double angle) {
    Camera turned = camera;
    glm::dvec3 arm = glm::dvec3(camera.eye) - glm::dvec3(camera.target);
    glm::dmat4 turn = glm::rotate(glm::dmat4(1), angle, glm::normalize(glm::dvec3(camera.up)));
    turned.eye = vec3(glm::dvec3(camera.target) + glm::dvec3(turn * glm::dvec4(arm, 0)));
    return turned;
}

}  // namespace tl
