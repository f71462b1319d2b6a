// Perspective projection of points of the scene into the window's picture.
#pragma once

#include <optional>

#include "app/viewer/imgui/layout.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Projection between the scene and framebuffer pixels of the window, y down. Copies the camera's
/// values, so that later changes of the camera have no effect.
class PictureProjection {
  public:
    /// `picture`: rectangle of the window in which the camera's picture is shown.
    PictureProjection(const Camera& camera, const Rect& picture);

    /// Pixel that shows a point; none for a point that is not in front of the eye.
    [[nodiscard]] std::optional<vec2> pixel_of(vec3 point) const;
    /// Unit direction from the eye through a pixel.
    [[nodiscard]] vec3 direction_at(vec2 pixel) const;
    /// Side of a pixel at the depth of a point, in the scene's units.
    [[nodiscard]] float pixel_size_at(vec3 point) const;
    [[nodiscard]] vec3 eye() const { return eye_; }
    /// Unit direction of the view.
    [[nodiscard]] vec3 forward() const { return forward_; }

  private:
    /// Distance from the eye along the view direction.
    [[nodiscard]] float depth_of(vec3 point) const;

    vec3 eye_, forward_;
    vec3 right_, down_;  // of unit length
    vec2 middle_;        // middle of the picture, framebuffer pixels
    float step_;         // side of a pixel at depth 1
};

}  // namespace tl
