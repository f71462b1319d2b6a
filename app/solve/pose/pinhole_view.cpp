#include "app/solve/pose/pinhole_view.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "renderer/scene/scene.h"

namespace tl {
namespace {

/// y = R' x.
void rotate_back(const double* r, const double* x, double* y) {
    for (int i = 0; i < 3; ++i) y[i] = r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

void difference(const double* a, const double* b, double* result) {
    for (int i = 0; i < 3; ++i) result[i] = a[i] - b[i];
}

}  // namespace

PinholeView pinhole_view(const Camera& camera, Extent picture) {
    PinholeView view;
    const double up[3] = {double(camera.up.x), double(camera.up.y), double(camera.up.z)};
    double* right = view.rotation;
    double* down = view.rotation + 3;
    double* forward = view.rotation + 6;
    for (int i = 0; i < 3; ++i) {
        view.center[i] = double(camera.eye[i]);
        forward[i] = double(camera.target[i]) - double(camera.eye[i]);
    }
    motion::normalise(forward);
    motion::cross(forward, up, right);
    if (std::sqrt(motion::dot(right, right)) < 1e-6) {
        const double axis[3] = {std::abs(forward[0]) < 0.9 ? 1.0 : 0.0,
                                std::abs(forward[0]) < 0.9 ? 0.0 : 1.0, 0};
        motion::cross(forward, axis, right);
    }
    motion::normalise(right);
    motion::cross(forward, right, down);
    double half = std::tan(double(camera.vertical_fov) / 2 * std::numbers::pi / 180);
    double focal = picture.height / 2.0 / half;
    view.camera = {focal, focal, picture.width / 2.0, picture.height / 2.0};
    view.extent = picture;
    return view;
}

void PinholeView::towards(const double* pixel, double* direction) const {
    const double seen[3] = {(pixel[0] - camera.cx) / camera.fx, (pixel[1] - camera.cy) / camera.fy,
                            1};
    rotate_back(rotation, seen, direction);
}

bool PinholeView::project(const double* point, double* pixel) const {
    double from_eye[3], seen[3];
    difference(point, center, from_eye);
    motion::rotate(rotation, from_eye, seen);
    pixel[0] = seen[0] / seen[2] * camera.fx + camera.cx;
    pixel[1] = seen[1] / seen[2] * camera.fy + camera.cy;
    return seen[2] > 0;
}

CameraPose true_pose(const PinholeView& first, const PinholeView& second, PoseKind kind) {
    CameraPose pose;
    pose.focal = second.camera.fx;
    double from[3] = {};
    if (is_relative(kind)) {
        double back[9];
        for (int i = 0; i < 9; ++i) back[i] = first.rotation[i % 3 * 3 + i / 3];
        motion::multiply(second.rotation, back, pose.rotation);
        std::copy_n(first.center, 3, from);
    } else {
        std::copy_n(second.rotation, 9, pose.rotation);
    }
    double way[3];
    difference(from, second.center, way);
    motion::rotate(second.rotation, way, pose.translation);
    double length = distance_between(from, second.center);
    if (is_relative(kind) && length > 0)
        for (double& t : pose.translation) t /= length;
    return pose;
}

PinholeView view_by_pose(const PinholeView& first, const PinholeView& truth, const CameraPose& pose,
                         PoseKind kind) {
    PinholeView view = truth;
    double scale = -1;
    std::copy_n(pose.rotation, 9, view.rotation);
    if (is_relative(kind)) {
        motion::multiply(pose.rotation, first.rotation, view.rotation);
        scale = -distance_between(first.center, truth.center);
    }
    rotate_back(view.rotation, pose.translation, view.center);
    for (int i = 0; i < 3; ++i)
        view.center[i] = scale * view.center[i] + (is_relative(kind) ? first.center[i] : 0);
    if (finds_focal(kind)) view.camera.fx = view.camera.fy = pose.focal;
    return view;
}

double distance_between(const double* a, const double* b) {
    double way[3];
    difference(a, b, way);
    return std::sqrt(motion::dot(way, way));
}

EpipolarLine epipolar_line(const PinholeView& from, const PinholeView& to, const double* pixel) {
    // The plane through both eyes and the pixel's ray, as `to` has it.
    double ray[3], way[3], normal[3], seen[3];
    from.towards(pixel, ray);
    difference(from.center, to.center, way);
    motion::cross(way, ray, normal);
    motion::rotate(to.rotation, normal, seen);
    EpipolarLine line{seen[0] / to.camera.fx, seen[1] / to.camera.fy, seen[2]};
    line.c -= line.a * to.camera.cx + line.b * to.camera.cy;
    return line;
}

}  // namespace tl
