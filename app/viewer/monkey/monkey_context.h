// A window whose input is pseudo-random: it passes everything on to another window or offscreen
// context, and adds input to it before each frame of the interface. It closes by itself.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "app/viewer/monkey/event_log.h"
#include "app/viewer/monkey/random_input.h"
#include "app/viewer/window/gl_context.h"

namespace tl {

class MonkeyContext final : public GlContext {
  public:
    struct Config {
        std::uint64_t seed = 0;
        std::uint64_t frames = 0;  ///< of the interface, after which the window closes
        float scale = 1;           ///< of the interface
        std::vector<std::string> files{};
    };
    MonkeyContext(std::unique_ptr<GlContext> window, const Config& config,
                  const std::vector<ViewerCommand>& commands);

    /// What brings the viewer to one state, in which memory is compared: called before each turn
    /// after every thousand events and at the end, until it returns true. No input is given
    /// meanwhile.
    void settle_by(std::function<bool()> settle) { settle_ = std::move(settle); }

    /// Lines with the number of events and frames, the longest frame, and the resident memory.
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
    /// The user's wish to quit, which random input has at any time, is not heeded.
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

    // The loop's turn in progress.
    std::chrono::steady_clock::time_point began_;
    double began_cpu_ = 0;  // seconds that the thread has computed
    std::string cause_;     // what came before it
    bool in_turn_ = false;
    struct Longest {
        double seconds = 0, cpu = 0;
        std::string cause;
    };
    std::vector<Longest> longest_;  // the longest first
    std::function<bool()> settle_;
    bool settling_ = false;
    std::chrono::steady_clock::time_point settling_since_;
    std::string note_;  // of a state that could not be reached
    struct Memory {
        std::uint64_t events = 0;
        std::size_t resident = 0, of_files = 0, allocated = 0;  // bytes
    };
    std::vector<Memory> memory_;  // each time that the state was reached
    bool measured_last_ = false;
};

}  // namespace tl
