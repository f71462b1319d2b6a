// Limits the work that the host queues ahead of a stream, counted in steps such as frames.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device.h"

namespace tl {

/// Keeps at most a fixed number of steps of work queued on a stream. A full queue would make a
/// launch wait inside the driver. The limit also leaves little to run when the host stops.
class StepsInFlight {
  public:
    /// `steps`: maximum number of queued steps, at least 1.
    explicit StepsInFlight(std::size_t steps) : events_(steps) {}

    /// Ends a step: call after its work has been given to the stream. Waits until the step `steps`
    /// earlier has run. Forgets all earlier steps if the device differs from the last call's.
    void end_step(Stream& stream);

  private:
    Device* device_ = nullptr;                    ///< of the last call
    std::vector<std::unique_ptr<Event>> events_;  ///< ends of the newest steps, a ring buffer
    std::size_t next_ = 0;                        ///< index of the oldest event
};

}  // namespace tl
