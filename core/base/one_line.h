// Text from files and libraries, fit to be part of a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tl {

/// The text in one printable line: line ends and other control characters become single spaces, and
/// a text of more than `longest` bytes is cut off.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t longest = 240);

/// The text with its control characters spelled as \x00 to \x1f and \x7f. A message with a name
/// from a file then does not end at a zero byte in the name.
[[nodiscard]] std::string escaped(std::string_view text);

/// The two hexadecimal digits of a byte: "1b".
[[nodiscard]] std::string hex_text(std::uint8_t byte);

}  // namespace tl
