// Progress of a benchmark, which prints a row as soon as it is measured.
#pragma once

#include <optional>
#include <string>

#include "accel/parallel/read_progress.h"
#include "app/jobs/terminal_progress.h"

namespace tl {

/// While it lives, the terminal shows how many rows are done, which one is being measured and what
/// of it, the time it took and the time that is left; nothing where standard error is no terminal.
/// One at a time in a thread.
class BenchProgress {
  public:
    /// `unit`: what is counted.
    explicit BenchProgress(std::size_t n_rows, const char* unit = "rows");

    /// Measures the next row.
    void begin(const std::string& row);
    /// The row is measured; the line is removed, so that the row can be printed.
    void end();
    /// Removes the line, as end() does, in the middle of a row.
    void hide() { line_.hide(); }

  private:
    void show(const char* what, double share);

    TerminalProgress line_;
    std::string row_;
    int n_done_ = 0;
    std::optional<ReadProgress> work_;  ///< of the row
};

/// What WorkTimer and repeated_seconds() tell of by tell_work().
inline constexpr const char* kRepeats = "repeats";

}  // namespace tl
