// How long GL takes for something, asked without waiting; and how far GL may lag behind.
#pragma once

#include <array>

namespace tl {

class GlTimer {
  public:
    GlTimer() = default;
    ~GlTimer();
    GlTimer(const GlTimer&) = delete;
    GlTimer& operator=(const GlTimer&) = delete;

    void begin();
    void end();
    /// Of the newest measurement that GL has finished.
    [[nodiscard]] float milliseconds() const { return milliseconds_; }

  private:
    static constexpr std::size_t kQueries = 4;
    std::array<unsigned, kQueries> queries_{};
    std::array<bool, kQueries> asked_{};
    std::size_t next_ = 0;
    bool running_ = false;
    float milliseconds_ = 0;
};

/// Keeps at most two frames under way, so that input never lags behind by a long queue.
class FramePacer {
  public:
    FramePacer() = default;
    ~FramePacer();
    FramePacer(const FramePacer&) = delete;
    FramePacer& operator=(const FramePacer&) = delete;
    /// The frame's GL commands have all been given; waits for the frame before the last one.
    void end_frame();

  private:
    std::array<void*, 2> fences_{};  // GLsync
    std::size_t next_ = 0;
};

}  // namespace tl
