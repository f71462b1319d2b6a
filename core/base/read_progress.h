// Progress of reading files and of longer work on their contents, reported to a callback of the
// thread that reads or works.
#pragma once

#include <cstddef>
#include <functional>

namespace tl {

/// While it lives, read_file() in this thread calls `told` with the fraction of each file that has
/// been read: 0 at its beginning, 1 at its end. tell_work() calls `worked`, and expect_work() calls
/// `expected`. An exception of a callback ends the reading or the work. Null: not called. May not
/// be nested.
class ReadProgress {
  public:
    using Worked = std::function<void(const char* what, double share)>;
    using Expected = std::function<void(const char* what, double seconds)>;
    explicit ReadProgress(std::function<void(double share)> told, Worked worked = {},
                          Expected expected = {});
    ~ReadProgress();
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;
};

/// Reports the fraction of a file that has been read; called by readers of files.
void tell_read(double share);

/// Reports the progress of long work after files were read: `what` names the work, a literal, and
/// `share` goes from 0 at its beginning to 1 at its end.
void tell_work(const char* what, double share);

/// Reports the progress of a long loop about two hundred times.
class WorkLoop {
  public:
    /// A loop over `count` steps begins.
    WorkLoop(const char* what, std::size_t count) : what_(what), count_(count) {
        tell_work(what, 0);
    }
    /// Before or after step `step`; may be called for some steps only.
    void at(std::size_t step) {
        if (step >= next_) tell(step);
    }
    /// The loop has ended.
    void end() const { tell_work(what_, 1); }

  private:
    void tell(std::size_t step);

    const char* what_;
    std::size_t count_, next_ = 0;
};

/// Announces long work whose progress is unknown: `what` names it, a literal, and `seconds` is its
/// expected duration.
void expect_work(const char* what, double seconds);
/// Whether this thread has a callback for expect_work(), so that an estimate is worth its cost.
[[nodiscard]] bool expects_work();

}  // namespace tl
