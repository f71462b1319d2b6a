// Runs code that may crash on damaged input in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tl {

/// What the work may take.
struct ApartLimits {
    std::size_t seconds;  ///< of a processor
    std::size_t bytes;    ///< of memory, beyond what this process has
};

/// Calls `work` in a copy of this process and returns what it returns. Throws UserError: one that
/// `work` throws, or one which says that it crashed or went beyond the limits.
/// `work` must not use devices, other threads or the terminal. What it tells of these phases by
/// tell_work() is told here, the newest again and again while it is silent: what a ReadProgress
/// throws ends the work within a tenth of a second.
[[nodiscard]] std::string run_apart(const std::function<std::string()>& work, ApartLimits limits,
                                    const std::vector<const char*>& phases = {});

}  // namespace tl
