// The newest frames that have added a sample to the picture, for frame rates that are to be
// compared: each with its period and the state of the viewer that it was made in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// What frames must have in common for their rates to be compared.
struct FrameState {
    Extent film;
    std::uint64_t picture = 0;  ///< number of the picture that gets samples; 0 while the view moves
    std::uint64_t changes = 0;  ///< of scene or settings so far
    bool two_sides = false;     ///< side B of a comparison is rendered as well
    bool moves = false;         ///< the view or the scene moves with each frame
    bool operator==(const FrameState&) const = default;
};

/// Frames a second by the median period; 0: too few frames to tell.
[[nodiscard]] double rate_of(const std::vector<double>& periods);

class FrameLog {
  public:
    static constexpr std::size_t kFewest = 4;   ///< periods that make a rate
    static constexpr std::size_t kKept = 8192;  ///< periods
    static constexpr int kWarmUp = 2;           ///< frames of a new state that are left out
    /// The rate now is that of the last second, and of so many periods where frames take longer.
    static constexpr double kSeconds = 1;
    static constexpr std::size_t kWindow = 16;

    struct Frame {
        double seconds;  ///< from the beginning of the frame before to that of this one
        FrameState state;
    };
    /// Adds a frame. `seconds` as in Frame; 0: not known, as where the frame before has added no
    /// sample or after a rest.
    void add(double seconds, const FrameState& state);
    /// The frames added so far, those left out included.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// State of the newest frame.
    [[nodiscard]] const FrameState& state() const { return state_; }
    /// Periods of the frames in a state that were added after the first `n` ones, newest first; of
    /// those that are kept.
    [[nodiscard]] std::vector<double> periods_since(std::uint64_t n, const FrameState& state) const;
    /// The frame rate over the newest frames of the newest state; 0: too few.
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
