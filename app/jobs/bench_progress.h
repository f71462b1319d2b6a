// Progress of a benchmark, which prints a row as soon as it is measured.
#pragma once

#include <optional>
#include <string>

#include "app/jobs/terminal_progress.h"
#include "core/base/read_progress.h"

namespace tl {

/// While it lives, the terminal shows the number of finished rows, the row being measured and its
/// phase, the elapsed time and the remaining time. Shows nothing where standard error is no
/// terminal. At most one per thread.
class BenchProgress {
  public:
    /// `unit`: name of the rows, in the plural.
    explicit BenchProgress(std::size_t n_rows, const char* unit = "rows");

    /// Shows the next row, whose measurement begins.
    void begin(const std::string& row);
    /// Counts the row as measured and removes the line, so that the row can be printed.
    void end();
    /// Removes the line, as end() does, in the middle of a row.
    void hide() { line_.hide(); }

  private:
    void show(const char* what, double share);

    TerminalProgress line_;
    std::string row_;
    int n_done_ = 0;
    std::optional<ReadProgress> work_;  ///< shows the phase of the row; only on a terminal
};

/// Name of the phase that RepeatCounter and repeated_seconds() report by tell_work().
inline constexpr const char* kRepeats = "repeats";

}  // namespace tl
