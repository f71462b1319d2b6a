// Handling of signals that end the program: at once but without half-written files, or at the next
// step of work that can keep its results.
#pragma once

#include <string>

namespace tl {

/// Makes Ctrl+C, SIGTERM, SIGHUP and SIGPIPE remove unfinished files before they end the program. A
/// signal that is ignored, as by nohup, stays ignored. A file that grows too large is an error of
/// its writer, not a signal.
void end_tidily_on_signals();

/// While it exists, the first Ctrl+C or SIGTERM only sets a flag; the next one ends the program.
class InterruptFlag {
  public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    [[nodiscard]] bool is_set() const;
    /// Name of the signal that set the flag: "Ctrl+C" or "SIGTERM".
    [[nodiscard]] std::string cause() const;
};

}  // namespace tl
