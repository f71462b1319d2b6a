// Tells how much of a file has been read, and of longer work on what was read, to whoever asks for
// it in the thread that reads or works.
#pragma once

#include <cstddef>
#include <functional>

namespace tl {

/// While it lives, read_file() in this thread calls `told` with the share of each file that has
/// been read: 0 at its beginning, 1 at its end; tell_work() calls `worked`, and expect_work()
/// `expected`. What any of them throws ends the reading or the work. Null: not called. May not be
/// nested.
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

/// Called by what reads files.
void tell_read(double share);

/// Called by what takes long after files were read: `what` it does, a literal, from 0 at its
/// beginning to 1 at its end.
void tell_work(const char* what, double share);

/// Tells of a long loop about two hundred times.
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

/// Called by what takes long and cannot tell its share: `what` it does, a literal, and how many
/// seconds that is expected to take.
void expect_work(const char* what, double seconds);
/// Whether anybody asks for that in this thread, so that it is worth an estimate.
[[nodiscard]] bool expects_work();

}  // namespace tl
