#include "app/jobs/terminal_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/jobs/format.h"
#include "app/jobs/time_left.h"

namespace tl {
namespace {

/// Whether standard error can show a line that changes.
bool shows_progress() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && !(terminal && std::string(terminal) == "dumb");
}

/// Columns of the terminal, or 80 where it does not report them.
std::size_t terminal_columns() {
    winsize size{};
    constexpr std::size_t kUsual = 80;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : kUsual;
}

}  // namespace

std::string progress_line(const std::string& unit, int done, int total, double seconds,
                          const ProgressNotes& notes) {
    constexpr int kWidth = 24;
    int filled = total > 0 ? static_cast<int>(static_cast<double>(kWidth) * done / total) : 0;
    auto full = static_cast<std::size_t>(std::clamp(filled, 0, kWidth));
    std::string line = "[" + std::string(full, '#') + std::string(kWidth - full, ' ') + "] " +
                       formatted("%d of %d ", done, total) + unit;
    if (!notes.state.empty()) line += ", " + notes.state;
    line += ", " + duration_text(seconds);
    if (done > 0 || notes.seconds_left)
        line += ", " + duration_text(notes.seconds_left.value_or(seconds * (total - done) / done)) +
                " left";
    return line;
}

TerminalProgress::TerminalProgress(std::string unit, int total, LogLines lines)
    : unit_(std::move(unit)), total_(total), lines_(lines), on_terminal_(shows_progress()) {}

TerminalProgress::~TerminalProgress() {
    hide();
}

void TerminalProgress::hide() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
    last_ = {};
}

void TerminalProgress::show(int done, const ProgressNotes& notes) {
    constexpr std::chrono::milliseconds kPause(100), kBetweenLines(10'000);
    auto now = Clock::now();
    if (!on_terminal_ && lines_ == LogLines::no) return;
    if (now - std::max(last_, on_terminal_ ? last_ : start_) <
        (on_terminal_ ? kPause : kBetweenLines))
        return;
    last_ = now;
    std::chrono::duration<double> seconds = now - start_;
    if (!on_terminal_) {
        std::fprintf(stderr, "%s\n",
                     progress_line(unit_, done, total_, seconds.count(), notes).c_str());
        return;
    }
    shown_ = true;
    // A line that does not fit would not be overwritten by the next one.
    auto line = progress_line(unit_, done, total_, seconds.count(), notes);
    line.resize(std::min(line.size(), terminal_columns() - 1));
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
}

}  // namespace tl
