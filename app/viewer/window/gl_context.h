// What the viewer draws into: a window with GLFW, or an EGL context with no window. Constructing
// one makes it current and loads GL 4.5 core.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "accel/parallel/math.h"
#include "app/viewer/window/input.h"

namespace tl {

class GlContext {
  public:
    virtual ~GlContext() = default;
    virtual void make_current() = 0;
    /// Pixels; 0 in a direction while there is nothing to draw into.
    [[nodiscard]] virtual Extent size() const = 0;
    /// Framebuffer name to draw into.
    [[nodiscard]] virtual unsigned framebuffer() const { return 0; }
    /// Physical pixels for each pixel of a plain display: 2 on a HiDPI one.
    [[nodiscard]] virtual float content_scale() const { return 1; }
    [[nodiscard]] virtual bool minimised() const { return false; }
    /// What it is, for people: "window", "EGL device (CUDA 0)".
    [[nodiscard]] virtual std::string name() const = 0;

    /// Collects input; the second waits for some, at most `seconds`.
    virtual void poll_events() = 0;
    virtual void wait_events(double seconds) = 0;
    [[nodiscard]] std::vector<InputEvent> take_events() { return std::exchange(events_, {}); }

    /// Shows the frame.
    virtual void swap() = 0;
    /// How long the display shows one picture, where swap() does not wait for it; 0: no limit.
    [[nodiscard]] virtual double refresh_seconds() const { return 0; }
    [[nodiscard]] virtual bool should_close() const = 0;
    virtual void request_close() = 0;
    /// The user is done: nothing more is to be seen of it.
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
