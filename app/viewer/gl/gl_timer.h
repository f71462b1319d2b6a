// Measures GL times without waiting, and limits the number of GL frames in flight.
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
    /// Result of the newest measurement that GL has finished.
    [[nodiscard]] float milliseconds() const { return milliseconds_; }

  private:
    static constexpr std::size_t kQueries = 4;
    std::array<unsigned, kQueries> queries_{};
    std::array<bool, kQueries> asked_{};
    std::size_t next_ = 0;
    bool running_ = false;
    float milliseconds_ = 0;
};

/// Keeps at most two frames in flight, which bounds the input latency.
class FramePacer {
  public:
    FramePacer() = default;
    ~FramePacer();
    FramePacer(const FramePacer&) = delete;
    FramePacer& operator=(const FramePacer&) = delete;
    /// Call after the frame's last GL command; waits for the frame before the previous one.
    void end_frame();

  private:
    std::array<void*, 2> fences_{};  // GLsync
    std::size_t next_ = 0;
};

}  // namespace tl
