// Text with numbers in it, formatted as by printf().
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string>

namespace tl {

/// The text that printf() would print with these arguments.
[[nodiscard, gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// The text that vprintf() would print.
[[nodiscard]] std::string formatted_list(const char* format, std::va_list values);

/// "sample" for one, "samples" for any other count.
[[nodiscard]] std::string plural(std::size_t count, const std::string& what);

/// "max-leaf-size" -> "max leaf size".
[[nodiscard]] std::string words_of(std::string id);

}  // namespace tl
