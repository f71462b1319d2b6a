#include "renderer/points/draw_points.h"

namespace tl {

PointCamera::PointCamera(const Camera& camera, Extent extent) : eye(camera.eye), extent(extent) {
    CameraRays rays(camera, extent);
    float step = glm::length(rays.step_x);
    auto width = static_cast<float>(extent.width), height = static_cast<float>(extent.height);
    forward = glm::normalize(camera.target - camera.eye);
    across = rays.step_x / (step * step) + forward * (width / 2);
    down = rays.step_y / (step * step) + forward * (height / 2);
    pixels_per_angle = 1 / step;
}

}  // namespace tl
