// Render target of the viewer: a GLFW window, or an EGL context without window. The constructors
// make the context current and load GL 4.5 core.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/viewer/window/input.h"
#include "core/base/math.h"

namespace tl {

class GlContext {
  public:
    virtual ~GlContext() = default;
    /// Size in pixels; width or height is 0 while there is no area to draw into.
    [[nodiscard]] virtual Extent size() const = 0;
    /// Requests another size, in pixels; a window system may choose a different one.
    virtual void resize(Extent size) = 0;
    /// GL name of the framebuffer to draw into.
    [[nodiscard]] virtual unsigned framebuffer() const { return 0; }
    /// Physical pixels per logical pixel: 2 on a HiDPI display.
    [[nodiscard]] virtual float content_scale() const { return 1; }
    [[nodiscard]] virtual bool minimised() const { return false; }
    /// Readable name: "window", "EGL device of CUDA GPU 0".
    [[nodiscard]] virtual std::string name() const = 0;

    /// Collect input events; wait_events() waits for at least one, for at most `seconds`.
    virtual void poll_events() = 0;
    virtual void wait_events(double seconds) = 0;
    /// Ends a wait_events() in progress, or the next one; may be called by any thread.
    virtual void wake() = 0;
    [[nodiscard]] std::vector<InputEvent> take_events() { return std::exchange(events_, {}); }

    /// Shows the frame.
    virtual void swap() = 0;
    /// The display's refresh interval if swap() does not wait for it; 0: no limit.
    [[nodiscard]] virtual double refresh_seconds() const { return 0; }
    /// The display's refresh interval, also if swap() waits for it; 0: there is none.
    [[nodiscard]] virtual double display_seconds() const { return refresh_seconds(); }
    [[nodiscard]] virtual bool should_close() const = 0;
    virtual void request_close() = 0;
    /// Cancels a request to close, the user's included.
    virtual void stay_open() = 0;
    /// Hides the window once the user has closed it.
    virtual void hide() {}

    virtual void set_title(const std::string& title) { (void)title; }
    virtual void set_fullscreen(bool on) { (void)on; }
    [[nodiscard]] virtual bool fullscreen() const { return false; }
    virtual void set_clipboard(const std::string& text) { clipboard_ = text; }
    [[nodiscard]] virtual std::string clipboard() const { return clipboard_; }

  protected:
    std::vector<InputEvent> events_;
    std::string clipboard_;
};

}  // namespace tl
