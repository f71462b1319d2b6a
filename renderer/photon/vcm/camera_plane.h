// The camera as a sensor of light sub-paths: image position and density of a camera ray, and the
// weight of each pixel's reconstruction filter.
#pragma once

#include "renderer/shading/camera_rays.h"

namespace tl {

/// Importance sampling of the camera, for light tracing.
class CameraPlane {
  public:
    explicit CameraPlane(const CameraRays& camera)
        : camera_(camera),
          forward_(glm::normalize(glm::cross(camera.step_x, camera.step_y))),
          pixel_area_(glm::length(camera.step_x) * glm::length(camera.step_y)) {}

    /// Point on the aperture, sampled by two numbers in [0, 1).
    [[nodiscard]] TL_HD vec3 opening(vec2 r) const {
        if (!camera_.has_lens()) return camera_.origin;
        vec2 place = concentric_disk(r.x, r.y);
        return camera_.origin + fused(place.x, camera_.lens_x, product(place.y, camera_.lens_y));
    }
    /// Density of a camera ray's unit direction, 1/sr, for one pixel; 0 behind the camera.
    [[nodiscard]] TL_HD float density(vec3 direction) const {
        float cosine = glm::dot(direction, forward_);
        return cosine > 0 ? 1 / (pixel_area_ * cosine * cosine * cosine) : 0.0f;
    }
    /// Image position, in pixels, of the ray from `opening` on the aperture in `direction`, which
    /// points forward.
    [[nodiscard]] TL_HD vec2 place(vec3 opening, vec3 direction) const {
        vec3 in_focus = direction / glm::dot(direction, forward_) +
                        (opening - camera_.origin) / camera_.focus_distance - camera_.corner;
        return {glm::dot(in_focus, camera_.step_x) / glm::dot(camera_.step_x, camera_.step_x),
                glm::dot(in_focus, camera_.step_y) / glm::dot(camera_.step_y, camera_.step_y)};
    }
    /// Radius of the reconstruction filter, in pixels.
    [[nodiscard]] TL_HD float reach() const { return camera_.filter_radius; }
    /// Filter weight at a distance of `x` pixels from the pixel's centre, along one axis: the
    /// density of sample_filter.
    [[nodiscard]] TL_HD float share(float x) const {
        float t = x / camera_.filter_radius;
        if (!(t >= -1 && t < 1)) return 0;
        switch (camera_.filter) {
            case PixelFilter::tent:
                return (1 - fabsf(t)) / camera_.filter_radius;
            case PixelFilter::blackman_harris:
                return (0.35875f + 0.48829f * cosf(kPi * t) + 0.14128f * cosf(2 * kPi * t) +
                        0.01168f * cosf(3 * kPi * t)) /
                       (2 * 0.35875f * camera_.filter_radius);
            case PixelFilter::box:
                break;
        }
        return 0.5f / camera_.filter_radius;
    }

  private:
    CameraRays camera_;
    vec3 forward_;
    float pixel_area_;  ///< m^2, at a distance of 1 m
};

}  // namespace tl
