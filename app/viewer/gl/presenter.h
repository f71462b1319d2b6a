// Displays the session's film by GL: a pixel buffer, which a PixelPath fills (pixel_path.h), is
// copied to a texture, and one triangle draws it (shaders/present.frag).
#pragma once

#include <memory>
#include <string>

#include "app/viewer/gl/gl_timer.h"
#include "app/viewer/gl/pixel_path.h"
#include "app/viewer/imgui/layout.h"

namespace tl {

class Presenter;

/// A second picture of the same size, shown in a split view with the first.
struct SplitView {
    const Presenter* second = nullptr;  ///< right of the split; null: none
    float at = 1;                       ///< position of the split, as a fraction of the width
    float difference_gain = 0;  ///< if positive, shows the difference times this gain instead
    unsigned instead = 0;       ///< GL texture that is shown instead of both; 0: none
};

class Presenter {
  public:
    /// Needs a current GL context during its whole lifetime.
    Presenter();
    ~Presenter();
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;

    /// Begins a picture, which is shown by begin(), tone_map() and end(). Provides a buffer of the
    /// film's size; allocates only after a resize.
    void begin(Session& session);
    /// Tone-maps the film, as the stage "present" of the session's frame. Without GL, so that it
    /// may run in another thread; waits only if the picture must be copied from CUDA.
    void tone_map(Session& session);
    /// Passes the picture to GL.
    void end(Session& session);
    /// Draws the newest picture. `viewport` has y down, in a window of height `window_height`.
    void draw(unsigned framebuffer, const Rect& viewport, int window_height,
              const SplitView& split = {});

    /// Transfer method ("persistently mapped pixel buffer"). reason(): why no better one is used,
    /// or "".
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// GPU milliseconds of GL for texture and triangle, some frames ago.
    [[nodiscard]] float gl_milliseconds() const { return timer_.milliseconds(); }

  private:
    void choose_path();
    void prepare_texture();

    std::unique_ptr<PixelPath> path_;
    std::string way_ = "nothing shown yet", reason_;
    Device* device_ = nullptr;
    Extent extent_;          // of the film
    Extent texture_extent_;  // of the newest picture that GL has
    std::string refusal_;    // why CUDA and GL cannot share buffers; tested once
    unsigned texture_ = 0, program_ = 0, vertex_array_ = 0;
    GlTimer timer_;
};

}  // namespace tl
