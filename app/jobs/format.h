// Text with numbers in it, formatted as by printf().
#pragma once

#include <string>

namespace tl {

/// The text that printf() would print with these arguments.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

}  // namespace tl
