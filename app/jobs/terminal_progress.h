// Progress bar of a long command on the terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace tl {

/// Additional state of a command for its progress line.
struct ProgressNotes {
    std::string state{};                   ///< "81.2 % of pixels finished"
    std::optional<double> seconds_left{};  ///< none: extrapolated from the units done
};

/// Whether progress is also written where standard error is not a terminal, as in a batch job: a
/// line every ten seconds.
enum class LogLines { no, yes };

/// A bar on standard error with the work done, the time it took and the time that is left; nothing
/// where standard error is not a terminal or TERM is "dumb". The line is removed at the end.
class TerminalProgress {
  public:
    /// `unit`: name of the unit of work, in the plural: "samples".
    TerminalProgress(std::string unit, int total, LogLines lines = LogLines::no);
    ~TerminalProgress();
    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;

    /// Shows the state, at most ten times a second.
    void show(int done, const ProgressNotes& notes = {});
    /// Removes the line until the next show(), which then draws it without delay.
    void hide();
    /// Whether standard error is a terminal, on which show() draws the line.
    [[nodiscard]] bool on_terminal() const { return on_terminal_; }

  private:
    using Clock = std::chrono::steady_clock;

    std::string unit_;
    int total_;
    LogLines lines_;
    bool on_terminal_, shown_ = false;
    Clock::time_point start_ = Clock::now(), last_{};
};

/// The bar's line: "[#####     ] 12 of 64 samples, 5 s, 20 s left".
[[nodiscard]] std::string progress_line(const std::string& unit, int done, int total,
                                        double seconds, const ProgressNotes& notes = {});

}  // namespace tl
