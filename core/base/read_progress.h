// Progress of reading files and of longer work on their contents, reported to callbacks.
#pragma once

#include <cstddef>
#include <functional>

namespace tl {

/// Callbacks for progress, in the thread that reads or works. Those that are empty are not called,
/// so that a default one reports nothing. An exception of a callback ends the reading or the work.
struct ReadProgress {
    /// Receives the fraction of each file that has been read: 0 at its beginning, 1 at its end.
    std::function<void(double share)> on_read{};
    /// Receives the progress of long work: `what` names it, a literal, and `share` goes from 0 at
    /// its beginning to 1 at its end.
    std::function<void(const char* what, double share)> on_work{};
    /// Receives the expected duration of long work whose progress is unknown, in seconds.
    std::function<void(const char* what, double seconds)> on_estimate{};

    void report_read(double share) const {
        if (on_read) on_read(share);
    }
    void report_work(const char* what, double share) const {
        if (on_work) on_work(what, share);
    }
    void report_estimate(const char* what, double seconds) const {
        if (on_estimate) on_estimate(what, seconds);
    }
    /// Whether estimates are received, so that one is worth its cost.
    [[nodiscard]] bool wants_estimates() const { return on_estimate != nullptr; }
};

/// Reports the progress of a long loop about two hundred times.
class WorkLoop {
  public:
    /// A loop over `count` steps begins. `progress` must outlive it.
    WorkLoop(const ReadProgress& progress, const char* what, std::size_t count)
        : progress_(&progress), what_(what), count_(count) {
        progress.report_work(what, 0);
    }
    /// Before or after step `step`; may be called for some steps only.
    void at(std::size_t step) {
        if (step >= next_) report(step);
    }
    /// The loop has ended.
    void end() const { progress_->report_work(what_, 1); }

  private:
    void report(std::size_t step);

    const ReadProgress* progress_;
    const char* what_;
    std::size_t count_, next_ = 0;
};

}  // namespace tl
