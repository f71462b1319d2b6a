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

/// A number with three significant digits, or more before its point: "0.0123", "4.56", "78901".
/// Very small and very large ones have an exponent.
[[nodiscard]] std::string three_digits(double value);
/// "0.412 ms", "41.3 ms", "2.51 s".
[[nodiscard]] std::string time_text(double milliseconds);
/// The same of seconds.
[[nodiscard]] std::string duration_of(double seconds);
/// "59.8 fps", or "2.5 s a frame" for less than one a second; "0 fps" before the first frame.
[[nodiscard]] std::string frame_rate_text(double per_second);

/// "sample" for one, "samples" for any other count.
[[nodiscard]] std::string plural(std::size_t count, const std::string& what);

/// "max-leaf-size" -> "max leaf size".
[[nodiscard]] std::string words_of(std::string id);

}  // namespace tl
