// Runs code that may crash on damaged input in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace tl {

/// Calls `work` in a copy of this process and returns what it returns. Throws UserError: one that
/// `work` throws, or one which says that it crashed, or took more seconds of a processor.
/// `work` must not use devices, other threads or the terminal.
[[nodiscard]] std::string run_apart(const std::function<std::string()>& work, std::size_t seconds);

}  // namespace tl
