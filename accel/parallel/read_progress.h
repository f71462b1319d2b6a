// Tells how much of a file has been read, to whoever asks for it in the thread that reads.
#pragma once

#include <functional>

namespace tl {

/// While it lives, read_file() in this thread calls `told` with the share of each file that has
/// been read: 0 at its beginning, 1 at its end. What `told` throws ends the reading. May not be
/// nested.
class ReadProgress {
  public:
    explicit ReadProgress(std::function<void(double share)> told);
    ~ReadProgress();
    ReadProgress(const ReadProgress&) = delete;
    ReadProgress& operator=(const ReadProgress&) = delete;
};

/// Called by what reads files.
void tell_read(double share);

}  // namespace tl
