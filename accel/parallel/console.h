// What the program tells on a terminal: errors and warnings of one line each, in which nothing that
// a file contains can control the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// Whether all of the text is well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Text as a terminal may show it: control characters (C0, C1, DEL) and bytes that are no UTF-8 as
/// "\x1b", and a very long text without its middle. Line breaks stay only with `keep_lines`; else
/// each of them becomes a space, with the white space around it.
[[nodiscard]] std::string printable(std::string_view text, bool keep_lines = false);

/// Writes "treelight: TEXT" to standard error, as one printable line.
void print_error(std::string_view text);
/// The same, with "treelight: warning: " before the text.
void print_warning(std::string_view text);
void print_warnings(const std::vector<std::string>& texts);

}  // namespace tl
