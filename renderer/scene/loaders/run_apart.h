// Runs code that may crash on damaged input in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/read_progress.h"

namespace tl {

/// Limits of the work.
struct ApartLimits {
    std::size_t seconds;  ///< processor time, seconds
    std::size_t bytes;    ///< memory beyond that of this process, bytes
    /// Wall-clock time in seconds, however little processor time is used; 0: no limit.
    std::size_t clock_seconds = 0;
};

/// Work that ended without a result. Its message is that of a reader of a damaged file.
class ApartFailure : public UserError {
  public:
    enum class Cause {
        crash,
        limit,  ///< one of ApartLimits
    };
    explicit ApartFailure(Cause cause)
        : UserError(cause == Cause::limit
                        ? "takes too much time or memory to read; it may be damaged"
                        : "is damaged, or of a kind that its reader does not know"),
          cause(cause) {}
    Cause cause;
};

/// Calls `work` in a copy of this process and returns its result. Throws UserError: one that `work`
/// throws, or ApartFailure if it crashed or exceeded the limits. `work` must not use devices, other
/// threads or the terminal. What it reports of `phases` to the progress that it is given is passed
/// on to `progress`, the newest report every 100 ms while `work` makes none. An exception of
/// `progress` ends `work` within 100 ms.
[[nodiscard]] std::string run_apart(const std::function<std::string(const ReadProgress&)>& work,
                                    ApartLimits limits, const std::vector<const char*>& phases = {},
                                    const ReadProgress& progress = {});

}  // namespace tl
