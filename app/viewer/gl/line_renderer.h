// Draws lines of the scene over its picture.
#pragma once

#include <cstdint>
#include <vector>

#include "app/viewer/imgui/layout.h"
#include "renderer/scene/scene.h"

namespace tl {

struct LineVertex {
    vec3 position;
    std::uint32_t rgba8 = 0;  ///< r lowest, as displayed
};
static_assert(sizeof(LineVertex) == 16);

class LineRenderer {
  public:
    /// Needs a current GL context during its whole lifetime.
    LineRenderer();
    ~LineRenderer();
    LineRenderer(const LineRenderer&) = delete;
    LineRenderer& operator=(const LineRenderer&) = delete;

    /// Sets the lines, two vertices each.
    void set_lines(const std::vector<LineVertex>& vertices);
    /// Draws the lines over a picture that fills `picture`, clipped to `part`. Both rectangles have
    /// y down, in a window of this height.
    void draw(unsigned framebuffer, const Rect& picture, const Rect& part, int window_height,
              const Camera& camera);

  private:
    unsigned program_ = 0, vertex_array_ = 0, buffer_ = 0;
    int n_vertices_ = 0;
};

}  // namespace tl
