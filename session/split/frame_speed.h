// The speed at which a device samples its part of a film.
#pragma once

#include <memory>

#include "core/device/device.h"

namespace tl {

/// Measures frames by events in a device's stream, without waiting: not every frame is measured.
class FrameSpeed {
  public:
    /// Call before the work of a frame is given to the stream. `fraction`: of the film's pixels
    /// that the frame samples; 0: the frame is not measured.
    void begin(Stream& stream, double fraction);
    /// Call after the work of a frame was given to the stream.
    void end(Stream& stream);
    /// Ends a frame that was cancelled or failed, whose time is not used.
    void discard();
    /// Fraction of a film that the device samples in a millisecond, by the newest measured frame;
    /// 0: not known. The device must not have failed.
    [[nodiscard]] double newest();
    /// Forgets all frames: the device has other work from now on.
    void forget();

  private:
    enum class State { idle, begun, ended };
    State state_ = State::idle;
    std::unique_ptr<Event> begin_, end_;
    double fraction_ = 0, newest_ = 0;
};

}  // namespace tl
