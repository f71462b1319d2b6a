// Tells how much of a file has been read, and of longer work on what was read, to whoever asks for
// it in the thread that reads.
#pragma once

#include <functional>

namespace tl {

/// While it lives, read_file() in this thread calls `told` with the share of each file that has
/// been read: 0 at its beginning, 1 at its end; and tell_work() calls `worked`. What either throws
/// ends the reading or the work. May not be nested.
class ReadProgress {
  public:
    using Worked = std::function<void(const char* what, double share)>;
    explicit ReadProgress(std::function<void(double share)> told, Worked worked = {});
    ~ReadProgress();
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;
};

/// Called by what reads files.
void tell_read(double share);

/// Called by what takes long after files were read: `what` it does, a literal, from 0 at its
/// beginning to 1 at its end.
void tell_work(const char* what, double share);

}  // namespace tl
