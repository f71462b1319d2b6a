#include "app/jobs/terminal_progress.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "app/jobs/format.h"
#include "app/jobs/time_left.h"

namespace tl {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
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
    if (done > 0)
        line += ", " + duration_text(notes.seconds_left.value_or(seconds * (total - done) / done)) +
                " left";
    return line;
}

TerminalProgress::TerminalProgress(std::string unit, int total)
    : unit_(std::move(unit)), total_(total), on_terminal_(isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void TerminalProgress::show(int done, const ProgressNotes& notes) {
    constexpr std::chrono::milliseconds kPause(100);
    auto now = Clock::now();
    if (!on_terminal_ || now - last_ < kPause) return;
    last_ = now;
    shown_ = true;
    std::chrono::duration<double> seconds = now - start_;
    std::fprintf(stderr, "\r%s\033[K",
                 progress_line(unit_, done, total_, seconds.count(), notes).c_str());
}

InterruptFlag::InterruptFlag() {
    interrupted = 0;
    std::signal(SIGINT, on_interrupt);
}

InterruptFlag::~InterruptFlag() {
    std::signal(SIGINT, SIG_DFL);
}

bool InterruptFlag::is_set() const {
    return interrupted != 0;
}

}  // namespace tl
