// Puts the session's film on the screen: pixel buffer, texture, one quad.
#pragma once

#include <memory>
#include <string>

#include "app/viewer/gl/gl_timer.h"
#include "app/viewer/gl/pixel_path.h"
#include "app/viewer/imgui/layout.h"

namespace tl {

class Presenter;

/// A second picture of the same size beside the first.
struct SplitView {
    const Presenter* second = nullptr;  ///< right of the split; null: there is none
    float at = 1;                       ///< the split, in shares of the picture's width
    float difference_gain = 0;  ///< above 0: everywhere their difference, times this, instead
};

class Presenter {
  public:
    /// Needs a current GL context for as long as it lives.
    Presenter();
    ~Presenter();
    Presenter(const Presenter&) = delete;
    Presenter& operator=(const Presenter&) = delete;

    /// Tone-maps the film and hands it to GL, as the stage "present" of the session's frame.
    /// Neither allocates (but after a resize) nor waits, except where the picture must be copied
    /// from CUDA.
    void update(Session& session);
    /// Draws what update() brought last. `viewport` has y down in a window of this height.
    void draw(unsigned framebuffer, const Rect& viewport, int window_height,
              const SplitView& split = {});

    /// How pictures get here: "persistently mapped pixel buffer", and why not better ("" if it is).
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// GL's own milliseconds for texture and quad, some frames ago.
    [[nodiscard]] float gl_milliseconds() const { return timer_.milliseconds(); }

  private:
    void prepare(Device& device, Extent extent);
    void choose_path(Device& device, Extent extent);

    std::unique_ptr<PixelPath> path_;
    std::string way_ = "nothing shown yet", reason_;
    const Device* device_ = nullptr;
    Extent extent_;
    std::string refusal_;  // why CUDA and GL do not share; asked once
    unsigned texture_ = 0, program_ = 0, vertex_array_ = 0;
    GlTimer timer_;
};

}  // namespace tl
