#include "app/viewer/views/picture_projection.h"

#include "renderer/shading/camera_rays.h"

namespace tl {

PictureProjection::PictureProjection(const Camera& camera, const Rect& picture) {
    const Extent extent{std::max(picture.width, 1), std::max(picture.height, 1)};
    CameraRays rays(camera, extent);
    eye_ = camera.eye;
    forward_ = glm::normalize(camera.target - camera.eye);
    step_ = glm::length(rays.step_x);
    right_ = rays.step_x / step_;
    down_ = rays.step_y / step_;
    middle_ = vec2(static_cast<float>(picture.x), static_cast<float>(picture.y)) +
              0.5f * vec2(static_cast<float>(extent.width), static_cast<float>(extent.height));
}

float PictureProjection::depth_of(vec3 point) const {
    return glm::dot(point - eye_, forward_);
}

std::optional<vec2> PictureProjection::pixel_of(vec3 point) const {
    float depth = depth_of(point);
    if (!(depth > 0)) return std::nullopt;
    vec3 arm = point - eye_;
    return middle_ + vec2(glm::dot(arm, right_), glm::dot(arm, down_)) / (depth * step_);
}

vec3 PictureProjection::direction_at(vec2 pixel) const {
    vec2 at = (pixel - middle_) * step_;
    return glm::normalize(forward_ + at.x * right_ + at.y * down_);
}

float PictureProjection::pixel_size_at(vec3 point) const {
    return depth_of(point) * step_;
}

}  // namespace tl
