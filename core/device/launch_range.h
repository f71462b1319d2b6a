// Named profiler ranges around kernel launches.
#pragma once

namespace tl {

/// A range of the host's time in Nsight, from construction to destruction.
class LaunchRange {
  public:
    explicit LaunchRange(const char* name);
    ~LaunchRange();
    LaunchRange(const LaunchRange&) = delete;
    LaunchRange& operator=(const LaunchRange&) = delete;
};

}  // namespace tl
