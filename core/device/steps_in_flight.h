// Limits the number of steps that the host queues ahead of a stream.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// Keeps at most `steps` steps of work queued on a stream. So its queue never fills up, which would
/// make a launch wait inside the driver, and little remains to run when the host stops.
class StepsInFlight {
  public:
    explicit StepsInFlight(std::size_t steps) : events_(steps) {}

    /// Call after a step's work has been given to the stream: waits until the step `steps` earlier
    /// has run. Starts over when the device differs from the last call's.
    void end_step(Stream& stream);

  private:
    Device* device_ = nullptr;
    std::vector<std::unique_ptr<Event>> events_;  ///< a ring buffer, of the newest steps
    std::size_t next_ = 0;
};

}  // namespace tl
