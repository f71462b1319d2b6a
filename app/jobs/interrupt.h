// How signals end the program: at once but without half-written files, or at the next step of work
// that can keep what there is.
#pragma once

#include <string>

namespace tl {

/// From now on Ctrl+C, SIGTERM, SIGHUP and SIGPIPE remove unfinished files before they end the
/// program. A signal that is ignored, as by nohup, stays so. A file that grows too large is an
/// error of its writer, and no signal.
void end_tidily_on_signals();

/// While it exists, the first Ctrl+C or SIGTERM only sets a flag; the next one ends the program.
class InterruptFlag {
  public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    [[nodiscard]] bool is_set() const;
    /// What has set it: "Ctrl+C" or "SIGTERM".
    [[nodiscard]] std::string cause() const;
};

}  // namespace tl
