#include "app/viewer/views/camera_controller.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr float kFlySeconds = 4;        // to cross the scene's diagonal
constexpr float kArriveSeconds = 1.5f;  // to cross the distance of what is in view
constexpr float kFastFactor = 4;
constexpr float kPoleAngle = 0.02f;  // minimum angle between view and `up`, radians

struct Axes {
    vec3 right, up, forward;
};

vec3 any_perpendicular(vec3 v) {
    vec3 other = std::abs(v.x) < 0.9f ? vec3(1, 0, 0) : vec3(0, 1, 0);
    return glm::normalize(glm::cross(v, other));
}

vec3 unit_or(vec3 v, vec3 otherwise) {
    float length = glm::length(v);
    return length > 1e-20f ? v / length : otherwise;
}

Axes axes_of(const Camera& camera) {
    vec3 forward = unit_or(camera.target - camera.eye, vec3(0, 0, -1));
    vec3 up = unit_or(camera.up, vec3(0, 1, 0));
    vec3 right = glm::cross(forward, up);
    right = glm::length(right) > 1e-5f ? glm::normalize(right) : any_perpendicular(up);
    return {right, glm::cross(right, forward), forward};
}

/// Rotation of `arm` about `up`, then towards or away from it, without reaching the poles.
glm::mat3 turn(vec3 arm, vec3 up, vec3 right, float yaw, float pitch) {
    vec3 direction = glm::normalize(arm);
    float polar = std::acos(std::clamp(glm::dot(direction, up), -1.0f, 1.0f));
    float wanted = std::clamp(polar + pitch, kPoleAngle, kPi - kPoleAngle);
    // The pitch axis is perpendicular to `up` and the arm.
    vec3 axis = glm::cross(up, direction);
    axis = glm::length(axis) > 1e-5f ? glm::normalize(axis) : right;
    mat4 tilt = glm::rotate(mat4(1), wanted - polar, axis);
    mat4 spin = glm::rotate(mat4(1), yaw, up);
    return glm::mat3(spin * tilt);
}

}  // namespace

void CameraController::set_scene(const Camera& home, const Box& bounds, bool keep) {
    home_ = home;
    bounds_ = bounds;
    if (!keep) set_camera(home);
    view_distance_ = 0;
    scene_size_ = bounds.empty() ? 0 : glm::length(bounds.hi - bounds.lo);
    if (!(scene_size_ > 0) || !std::isfinite(scene_size_))
        scene_size_ = std::max(glm::length(home.target - home.eye), 1e-3f);
}

void CameraController::orbit(vec2 drag) {
    vec3 arm = camera_.eye - camera_.target;
    if (glm::length(arm) <= 0) return;
    vec3 up = unit_or(camera_.up, vec3(0, 1, 0));
    auto rotation = turn(arm, up, axes_of(camera_).right, -drag.x * kPi, -drag.y * kPi);
    vec3 center = pivot();
    camera_.target = center + rotation * (camera_.target - center);
    camera_.eye = center + rotation * (camera_.eye - center);
}

void CameraController::look(vec2 drag) {
    vec3 arm = camera_.target - camera_.eye;
    if (glm::length(arm) <= 0) return;
    float angle = glm::radians(camera_.vertical_fov);
    vec3 up = unit_or(camera_.up, vec3(0, 1, 0));
    camera_.target =
        camera_.eye + turn(arm, up, axes_of(camera_).right, -drag.x * angle, drag.y * angle) * arm;
    clear_pivot();
}

void CameraController::pan(vec2 drag) {
    auto axes = axes_of(camera_);
    float distance = glm::length(camera_.target - camera_.eye);
    float height = 2 * distance * std::tan(glm::radians(camera_.vertical_fov) / 2);
    vec3 step = (axes.up * drag.y - axes.right * drag.x) * height;
    camera_.eye += step;
    camera_.target += step;
}

void CameraController::zoom(float notches) {
    vec3 arm = camera_.eye - camera_.target;
    float distance = glm::length(arm);
    if (distance <= 0) return;
    float wanted = std::clamp(distance * std::pow(0.9f, notches), 1e-4f * scene_size_,
                              std::max(100 * scene_size_, distance));
    camera_.eye = camera_.target + arm * (wanted / distance);
}

void CameraController::zoom_to(vec3 point, float notches) {
    float distance = glm::length(camera_.eye - point);
    if (distance <= 0) return;
    float wanted = std::clamp(distance * std::pow(0.9f, notches), 1e-4f * scene_size_,
                              std::max(100 * scene_size_, distance));
    vec3 step = (camera_.eye - point) * (wanted / distance - 1);
    // The target comes along, but no closer to the eye than the point is.
    vec3 forward = axes_of(camera_).forward;
    float arm = glm::length(camera_.target - camera_.eye) * (wanted / distance);
    camera_.eye += step;
    camera_.target = camera_.eye + forward * std::max(arm, 1e-4f * scene_size_);
}

void CameraController::fly(vec3 direction, float seconds, bool fast) {
    if (glm::length(direction) <= 0) return;
    auto axes = axes_of(camera_);
    vec3 up = unit_or(camera_.up, vec3(0, 1, 0));
    vec3 way = axes.right * direction.x + up * direction.y + axes.forward * direction.z;
    float speed = scene_size_ / kFlySeconds;
    if (view_distance_ > 0)
        speed = std::clamp(view_distance_ / kArriveSeconds, 1e-5f * scene_size_, speed);
    speed *= fly_speed * (fast ? kFastFactor : 1);
    vec3 step = unit_or(way, vec3(0)) * speed * seconds;
    camera_.eye += step;
    camera_.target += step;
    clear_pivot();
}

void CameraController::set_camera(const Camera& camera) {
    if (camera.eye != camera_.eye || camera.target != camera_.target) clear_pivot();
    camera_ = camera;
}

void CameraController::look_at(vec3 point) {
    camera_.target = point;
    clear_pivot();
}

float CameraController::depth_of(vec3 point) const {
    return glm::dot(point - camera_.eye, axes_of(camera_).forward);
}

bool CameraController::set_pivot(vec3 point) {
    float depth = depth_of(point);
    if (!(depth > 0)) return false;
    camera_.target = camera_.eye + depth * axes_of(camera_).forward;
    pivot_ = point;
    return true;
}

bool CameraController::focus_on(vec3 point) {
    float depth = depth_of(point);
    if (!(depth > 0)) return false;
    camera_.focus_distance = depth;
    return true;
}

vec3 CameraController::up_axis() const {
    vec3 up = unit_or(home_.up, vec3(0, 1, 0)), size = glm::abs(up);
    int axis = size.y >= size.x && size.y >= size.z ? 1 : size.z >= size.x ? 2 : 0;
    vec3 result(0);
    result[axis] = up[axis] < 0 ? -1.0f : 1.0f;
    return result;
}

void CameraController::show_side(ViewSide side) {
    vec3 up = up_axis();
    // Towards the eye of the front view.
    vec3 front = up.z != 0 ? vec3(0, -1, 0) : vec3(0, 0, 1);
    vec3 right = glm::cross(up, front);
    // Straight along `up` a camera would not know which way is up in the picture.
    constexpr float kTilt = 1e-3f;
    const vec3 ways[] = {
        front, -front, -right, right, up + kTilt * front, -up + kTilt * front, front + right + up};
    float distance = std::max(glm::length(camera_.eye - camera_.target), 1e-4f * scene_size_);
    clear_pivot();
    camera_.up = up;
    camera_.eye = camera_.target + distance * glm::normalize(ways[static_cast<int>(side)]);
}

void CameraController::frame_all(float aspect) {
    tl::frame_all(camera_, bounds_, aspect);
    clear_pivot();
}

namespace {

/// Numbers with commas between; throws UserError unless there are `count`, all finite.
std::vector<float> numbers_of_flag(const std::string& flag, std::string_view text,
                                   std::size_t count) {
    std::vector<float> values;
    for (std::string_view rest = text; values.size() <= count;) {
        auto comma = rest.find(',');
        auto number = number_in<float>(rest.substr(0, comma));
        if (!number || !std::isfinite(*number)) break;
        values.push_back(*number);
        if (comma == std::string_view::npos) {
            if (values.size() == count) return values;
            break;
        }
        rest.remove_prefix(comma + 1);
    }
    throw UserError(flag + " wants " + (count == 1 ? "a number" : "three numbers") + ", not '" +
                    std::string(text) + "'");
}

}  // namespace

Camera parse_camera_flags(const std::string& text, const Camera& start) {
    Camera camera = start;
    std::istringstream words(text);
    bool any = false;
    for (std::string word; words >> word;) {
        auto equals = word.find('=');
        std::string flag = word.substr(0, equals);
        auto value = [&](std::size_t count) {
            std::string given;
            if (equals != std::string::npos)
                given = word.substr(equals + 1);
            else
                words >> given;
            any = true;
            return numbers_of_flag(flag, given, count);
        };
        auto set = [&](vec3& to) {
            auto v = value(3);
            to = {v[0], v[1], v[2]};
        };
        auto set_number = [&](float& to, float least, float most) {
            float v = value(1)[0];
            if (!(v >= least && v <= most))
                throw UserError(flag + " wants a number from " + number_text(least) + " to " +
                                number_text(most));
            to = v;
        };
        constexpr float kFarthest = 1e9f;
        if (flag == "--eye") set(camera.eye);
        if (flag == "--target") set(camera.target);
        if (flag == "--up") set(camera.up);
        if (flag == "--fov") set_number(camera.vertical_fov, kNarrowestFov, kWidestFov);
        if (flag == "--lens-radius") set_number(camera.lens_radius, 0, kFarthest);
        if (flag == "--focus-distance") set_number(camera.focus_distance, 0, kFarthest);
    }
    if (!any) throw UserError("it wants flags such as --eye=0,1,5 --target=0,1,0");
    if (auto fault = camera_fault(camera); !fault.empty()) throw UserError(fault);
    return camera;
}

std::string camera_flags(const Camera& camera) {
    auto vector = [](vec3 v) {
        return number_text(v.x) + "," + number_text(v.y) + "," + number_text(v.z);
    };
    std::string lens = " --lens-radius=" + number_text(camera.lens_radius);
    if (camera.lens_radius > 0) lens += " --focus-distance=" + number_text(camera.focus_distance);
    return "--eye=" + vector(camera.eye) + " --target=" + vector(camera.target) +
           " --up=" + vector(camera.up) + " --fov=" + number_text(camera.vertical_fov) + lens;
}

}  // namespace tl
