// Text from files and libraries, fit to be part of a message.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// The text in one printable line: line ends and other control characters become single spaces, and
/// a text of more than `longest` bytes is cut off.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t longest = 240);

}  // namespace tl
