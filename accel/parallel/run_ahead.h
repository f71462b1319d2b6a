// A bound on how far the host runs ahead of a stream.
#pragma once

#include <memory>
#include <vector>

#include "accel/parallel/device.h"

namespace tl {

/// Keeps at most `steps` steps of work waiting on a stream. A stream's queue then never fills up,
/// which makes a launch wait within the driver; and whoever is to stop soon has little left to run.
class RunAhead {
  public:
    explicit RunAhead(std::size_t steps) : events_(steps) {}

    /// A step's work has been given to the stream: waits until that of `steps` steps before has
    /// run. Another device than before starts anew.
    void end_step(Stream& stream);

  private:
    Device* device_ = nullptr;
    std::vector<std::unique_ptr<Event>> events_;  ///< a ring, of the newest steps
    std::size_t next_ = 0;
};

}  // namespace tl
