// A GL context without window or X server, for tests and remote machines. It draws into its own
// framebuffer object; callers supply input events with push().
#pragma once

#include <condition_variable>
#include <mutex>

#include "app/viewer/window/gl_context.h"

namespace tl {

class EglContext final : public GlContext {
  public:
    /// Selects the GPU that CUDA uses if EGL lists it, else any GPU, else Mesa's software renderer.
    /// Throws UserError with all reasons if none works. `refresh_seconds`: refresh interval of the
    /// simulated display; 0: no limit.
    explicit EglContext(Extent size, double refresh_seconds = 0);
    ~EglContext() override;
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;

    void push(InputEvent event) { events_.push_back(std::move(event)); }
    /// Simulates resizing a window; a size of 0 is allowed.
    void resize(Extent size) override;
    void set_minimised(bool on) { minimised_ = on; }

    Extent size() const override { return size_; }
    unsigned framebuffer() const override { return framebuffer_; }
    bool minimised() const override { return minimised_; }
    std::string name() const override { return name_; }
    void poll_events() override {}
    void wait_events(double seconds) override;
    void wake() override;
    void swap() override;
    double refresh_seconds() const override { return refresh_seconds_; }
    void set_title(const std::string& title) override { title_ = title; }
    [[nodiscard]] const std::string& title() const { return title_; }
    bool should_close() const override { return close_; }
    void request_close() override { close_ = true; }
    void stay_open() override { close_ = false; }

  private:
    struct Candidate;
    bool open(const Candidate& candidate, std::string& reason);
    void delete_framebuffer();

    void* display_ = nullptr;  // EGLDisplay, EGLContext
    void* context_ = nullptr;
    std::string name_, title_;
    Extent size_;
    double refresh_seconds_ = 0;
    unsigned framebuffer_ = 0, color_ = 0;
    bool minimised_ = false, close_ = false;
    std::mutex mutex_;
    std::condition_variable woken_;
    bool awake_ = false;  // wake() was called
};

}  // namespace tl
