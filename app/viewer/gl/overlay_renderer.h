// Draws lines and points of the scene over its picture.
#pragma once

#include <cstdint>
#include <vector>

#include "app/viewer/gl/overlay_vertex.h"
#include "app/viewer/imgui/layout.h"
#include "renderer/scene/scene.h"

namespace tl {

class OverlayRenderer {
  public:
    /// Needs a current GL context during its whole lifetime.
    OverlayRenderer();
    ~OverlayRenderer();
    OverlayRenderer(const OverlayRenderer&) = delete;
    OverlayRenderer& operator=(const OverlayRenderer&) = delete;

    /// Replaces what is drawn by lines, two vertices each.
    void set_lines(const std::vector<OverlayVertex>& vertices);
    /// Replaces what is drawn by points, drawn as discs.
    void set_points(const std::vector<OverlayVertex>& vertices);
    /// Diameter of points in pixels of the framebuffer.
    float point_size = 1;
    /// Draws the lines or points over a picture that fills `picture`, clipped to `part`. Both
    /// rectangles have y down, in a window of height `window_height`.
    void draw(unsigned framebuffer, const Rect& picture, const Rect& part, int window_height,
              const Camera& camera);

  private:
    void upload(const std::vector<OverlayVertex>& vertices);

    bool points_ = false;
    unsigned program_ = 0, vertex_array_ = 0, buffer_ = 0;
    int n_vertices_ = 0;
};

}  // namespace tl
