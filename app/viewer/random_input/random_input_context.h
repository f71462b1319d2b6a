// Window with pseudo-random input. Forwards everything to another window or offscreen context, and
// adds input before each frame of the interface. Closes by itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "app/viewer/random_input/event_log.h"
#include "app/viewer/random_input/random_input.h"
#include "app/viewer/window/gl_context.h"

namespace tl {

class RandomInputContext final : public GlContext {
  public:
    struct Config {
        std::uint64_t seed = 0;
        std::uint64_t frames = 0;  ///< frames of the interface, after which the window closes
        float scale = 1;           ///< scale of the interface
        std::vector<std::string> files{};
    };
    RandomInputContext(std::unique_ptr<GlContext> window, const Config& config,
                       const std::vector<ViewerCommand>& commands);

    /// Sets the function that brings the viewer to a fixed state, in which memory is compared. It
    /// is called before each turn, after every thousand events and at the end, until it returns
    /// true. No input is added meanwhile.
    void settle_by(std::function<bool()> settle) { settle_ = std::move(settle); }

    /// Summary lines: number of events and frames, longest frame, and resident memory.
    [[nodiscard]] std::string summary() const;

    Extent size() const override { return window_->size(); }
    unsigned framebuffer() const override { return window_->framebuffer(); }
    float content_scale() const override { return window_->content_scale(); }
    bool minimised() const override { return window_->minimised(); }
    std::string name() const override { return window_->name(); }
    void poll_events() override { take_turn(0); }
    void wait_events(double seconds) override { take_turn(seconds); }
    void wake() override { window_->wake(); }
    void swap() override;
    void resize(Extent size) override { window_->resize(size); }
    double refresh_seconds() const override { return window_->refresh_seconds(); }
    double display_seconds() const override { return window_->display_seconds(); }
    bool should_close() const override;
    /// Ignores requests to quit, which random input makes at any time.
    void request_close() override {}
    void stay_open() override {}
    void hide() override { window_->hide(); }
    void set_title(const std::string& title) override { window_->set_title(title); }
    void set_fullscreen(bool on) override { window_->set_fullscreen(on); }
    bool fullscreen() const override { return window_->fullscreen(); }

  private:
    void take_turn(double seconds);
    /// Whether the turn belongs to settling.
    bool settles(double seconds);
    void end_frame();

    std::unique_ptr<GlContext> window_;
    Config config_;
    RandomInput input_;
    EventLog log_;
    std::uint64_t n_events_ = 0, n_frames_ = 0;

    // The loop's turn in progress:
    std::chrono::steady_clock::time_point began_;
    double began_cpu_ = 0;  // seconds that the thread has computed
    std::string cause_;     // input before the turn
    bool in_turn_ = false;
    struct Longest {
        double seconds = 0, cpu = 0;
        std::string cause;
    };
    std::vector<Longest> longest_;  // the longest first
    std::function<bool()> settle_;
    bool settling_ = false;
    std::chrono::steady_clock::time_point settling_since_;
    std::string note_;  // about a state that could not be reached
    struct Memory {
        std::uint64_t events = 0;
        std::size_t resident = 0, of_files = 0, allocated = 0;  // bytes
    };
    std::vector<Memory> memory_;  // one for each time that the state was reached
    bool measured_last_ = false;
};

}  // namespace tl
