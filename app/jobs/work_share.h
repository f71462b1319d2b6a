// Progress of a long work, shown by another thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

#include "core/base/read_progress.h"

namespace tl {

/// Progress of one work, shared between threads. All functions may be called by any thread.
class WorkShare {
  public:
    /// Reports the current phase, a string literal, and the fraction done, 0 to 1.
    void tell(const char* what, double share);
    /// Reports the current phase, a string literal, and its expected seconds; 0: unknown.
    void expect(const char* what, double seconds);

    struct State {
        const char* what = nullptr;     ///< phase; null: nothing has been reported yet
        std::optional<double> share{};  ///< fraction done; none: unknown
    };
    /// Returns the newest phase and fraction. After expect(), the fraction is that of the expected
    /// time and stays below 1.
    [[nodiscard]] State state() const;

  private:
    using Clock = std::chrono::steady_clock;
    mutable std::mutex mutex_;
    const char* what_ = nullptr;
    std::optional<double> share_;
    double expected_ = 0;  // seconds since began_
    Clock::time_point began_{};
};

/// Runs work in the calling thread with a progress that reports to `share`. Ends the work by
/// Cancelled once `ends` returns true.
void run_told(WorkShare& share, const std::function<bool()>& ends,
              const std::function<void(const ReadProgress&)>& work);

}  // namespace tl
