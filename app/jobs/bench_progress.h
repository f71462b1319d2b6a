// Progress of a benchmark, which prints a row as soon as it is measured.
#pragma once

#include <string>

#include "app/jobs/terminal_progress.h"
#include "core/base/read_progress.h"

namespace tl {

/// While it lives, the terminal shows the number of finished rows, the row being measured and its
/// phase, the elapsed time and the remaining time. Shows nothing where standard error is no
/// terminal.
class BenchProgress {
  public:
    /// `unit`: name of the rows, in the plural.
    explicit BenchProgress(std::size_t n_rows, const char* unit = "rows");
    BenchProgress(const BenchProgress&) = delete;
    BenchProgress& operator=(const BenchProgress&) = delete;

    /// Shows the next row, whose measurement begins.
    void begin(const std::string& row);
    /// Counts the row as measured and removes the line, so that the row can be printed.
    void end();
    /// Removes the line, as end() does, in the middle of a row.
    void hide() { line_.hide(); }
    /// Shows the phases of the row, with the fraction of each that is done.
    [[nodiscard]] const ReadProgress& phases() const { return phases_; }

  private:
    void show(const char* what, double share);

    TerminalProgress line_;
    std::string row_;
    int n_done_ = 0;
    ReadProgress phases_;  ///< empty where there is no terminal
};

/// Name of the phase that RepeatCounter and repeated_seconds() report.
inline constexpr const char* kRepeats = "repeats";

}  // namespace tl
