// Times of the last frames: wall-clock time from frame to frame, and the stages of the session's
// timer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/jobs/frame_log.h"
#include "app/jobs/frame_rate.h"
#include "core/device/stage_timer.h"

namespace tl {

class FrameStatistics {
  public:
    static constexpr int kHistory = 128;

    /// Milliseconds from one frame's start to the next.
    void add_frame(float milliseconds);
    /// Adds the stages that the timer has collected since the last call, if any. `newest`: they are
    /// those of the newest frame.
    void add_stages(const StageTimer& timer, bool newest = false);
    /// Restarts the stages' means: later times are not comparable with earlier ones. Ignores times
    /// of frames in flight. Does nothing where keep_all is set.
    void restart();

    struct Stage {
        std::string name;
        StageKind kind = StageKind::other;
        float last = 0;
        float mean = 0;               ///< over the last kHistory frames at most
        std::vector<double> history;  ///< ring; every frame where keep_all
        std::size_t next = 0;
    };
    /// In the order they ran, "frame" last.
    [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }

    /// Mean milliseconds of the stages of a kind; 0 if there are none.
    [[nodiscard]] float mean_of(StageKind kind) const;
    /// Mean milliseconds of the stage with that name.
    [[nodiscard]] float mean_of(const std::string& name) const;

    /// Milliseconds of the last frames as a ring buffer that starts at `oldest()`, for a graph.
    [[nodiscard]] const std::array<float, kHistory>& frames() const { return frames_; }
    [[nodiscard]] int oldest() const { return next_; }
    /// Frames per second, mean over about the last half second; 0 before the first frame.
    [[nodiscard]] float frames_per_second() const { return rate_of_newest().per_second; }
    /// Mean period and rate of the frames of about the last half second, each the inverse of the
    /// other.
    struct NewestRate {
        float milliseconds = 0, per_second = 0;
    };
    [[nodiscard]] NewestRate rate_of_newest() const;
    /// The frame rate over the last second.
    [[nodiscard]] const FrameRate& rate() const { return rate_; }
    /// Log of the frames that have added a sample.
    [[nodiscard]] const FrameLog& log() const { return log_; }
    [[nodiscard]] FrameLog& log() { return log_; }

    /// Keeps every frame's times for a report, not only the last ones.
    bool keep_all = false;
    [[nodiscard]] const std::vector<double>& all_frames() const { return all_frames_; }

    float rays_per_frame = 0;  ///< of the newest frame that was counted

  private:
    std::array<float, kHistory> frames_{};
    int next_ = 0;
    FrameRate rate_;
    FrameLog log_;
    std::vector<double> all_frames_;
    std::vector<Stage> stages_;
    std::uint64_t collected_ = 0;
    int stale_ = 0;  // frames to come that were in flight at restart()
};

}  // namespace tl
