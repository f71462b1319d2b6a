// Perspective projection of a camera into the picture in the window, in framebuffer pixels, y down.
#pragma once

#include <optional>

#include "app/viewer/imgui/layout.h"
#include "renderer/scene/scene.h"

namespace tl {

class PictureProjection {
  public:
    PictureProjection(const Camera& camera, const Rect& picture);

    /// Pixel that shows a point; none for a point that is not in front of the eye.
    [[nodiscard]] std::optional<vec2> pixel_of(vec3 point) const;
    /// Unit direction from the eye through a pixel.
    [[nodiscard]] vec3 direction_at(vec2 pixel) const;
    /// Length in the scene that one pixel shows at the depth of a point.
    [[nodiscard]] float pixel_size_at(vec3 point) const;
    [[nodiscard]] vec3 eye() const { return eye_; }
    /// Unit direction of the view.
    [[nodiscard]] vec3 forward() const { return forward_; }

  private:
    [[nodiscard]] float depth_of(vec3 point) const;

    vec3 eye_, forward_;
    vec3 right_, down_;  // of unit length
    vec2 middle_;        // of the picture
    float step_;         // pixel_size_at() a depth of 1
};

}  // namespace tl
