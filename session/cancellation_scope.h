// Cancellation of a session's work on its stream.
#pragma once

#include <atomic>

#include "core/device/device.h"

namespace tl {

/// Cancels work on the stream once `asked` requests `least` or more, until the end of the scope;
/// the work then throws Cancelled. `asked`: null for never.
class CancellationScope {
  public:
    CancellationScope(Stream& stream, const std::atomic<Cancellation>* asked,
                      Cancellation least = Cancellation::everything)
        : stream_(stream) {
        stream_.watch_cancellation(asked, least);
    }
    ~CancellationScope() { stream_.watch_cancellation(nullptr, Cancellation::everything); }
    CancellationScope(const CancellationScope&) = delete;
    CancellationScope& operator=(const CancellationScope&) = delete;

  private:
    Stream& stream_;
};

}  // namespace tl
