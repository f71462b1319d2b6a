// How far a long work is, which another thread shows.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>

namespace tl {

/// All functions may be called by any thread.
class WorkShare {
  public:
    /// What is being done, a literal, and which share of it is done: 0 to 1.
    void tell(const char* what, double share);
    /// What is being done, and how many seconds that is expected to take; 0: unknown.
    void expect(const char* what, double seconds);

    struct State {
        const char* what = nullptr;     ///< null: nothing has been told yet
        std::optional<double> share{};  ///< none: unknown
    };
    /// Where there is an estimate alone, the share is that of the expected time, short of 1 for as
    /// long as it takes.
    [[nodiscard]] State state() const;

  private:
    using Clock = std::chrono::steady_clock;
    mutable std::mutex mutex_;
    const char* what_ = nullptr;
    std::optional<double> share_;
    double expected_ = 0;  // seconds since began_
    Clock::time_point began_{};
};

/// Runs work in the calling thread and tells `share` what read_progress.h tells of it. Ends it by
/// WorkAbandoned once `ends` is true.
void run_told(WorkShare& share, const std::function<bool()>& ends,
              const std::function<void()>& work);

}  // namespace tl
