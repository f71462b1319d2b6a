// The newest frames that have added a sample to the picture, each with its period and the state of
// the viewer when it was made. Frame rates are compared only between frames of equal state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// State of the viewer that frames must share for their rates to be compared.
struct FrameState {
    Extent film;
    std::uint64_t picture = 0;  ///< number of the picture that gets samples; 0 while the view moves
    std::uint64_t changes = 0;  ///< number of changes of scene or settings so far
    bool two_sides = false;     ///< side B of a comparison is rendered as well
    bool moves = false;         ///< the view or the scene moves with each frame
    bool operator==(const FrameState&) const = default;
};

/// Frames per second by the median of the periods, in seconds; 0 where there are too few.
[[nodiscard]] double rate_of(const std::vector<double>& periods);

class FrameLog {
  public:
    static constexpr std::size_t kFewest = 4;   ///< periods needed for a rate
    static constexpr std::size_t kKept = 8192;  ///< periods that are kept
    static constexpr int kWarmUp = 2;           ///< first frames of a new state, which do not count
    /// Window of rate(): the newest frames, at least kSeconds and at least kWindow periods.
    static constexpr double kSeconds = 1;
    static constexpr std::size_t kWindow = 16;

    struct Frame {
        double seconds;  ///< period: from the start of the frame before to the start of this one
        FrameState state;
    };
    /// Adds a frame. `seconds` as in Frame; 0: unknown, because the frame before added no sample or
    /// the viewer was idle.
    void add(double seconds, const FrameState& state);
    /// Number of frames added so far, warm-up frames included.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// State of the newest frame.
    [[nodiscard]] const FrameState& state() const { return state_; }
    /// Periods, in seconds, of the frames in `state` that were added after the first `n` frames and
    /// are still kept, newest first.
    [[nodiscard]] std::vector<double> periods_since(std::uint64_t n, const FrameState& state) const;
    /// Frames per second over the newest frames of the newest state; 0: too few.
    [[nodiscard]] double rate() const;

  private:
    struct Counted {
        std::uint64_t number;  // among all frames
        Frame frame;
    };
    std::deque<Counted> frames_;
    std::uint64_t count_ = 0;
    FrameState state_;
    int in_state_ = 0;  // frames since the state began, at most kWarmUp
};

}  // namespace tl
