// Errors and warnings on a terminal, one line each. Text from files cannot control the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tl {

/// Whether all of the text is well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Text made safe for a terminal. Control characters (C0, C1, DEL) and bytes that are no UTF-8 are
/// spelled as "\x1b"; a very long text loses its middle. Line breaks stay only with `keep_lines`;
/// else each becomes a space, with the white space around it.
[[nodiscard]] std::string printable(std::string_view text, bool keep_lines = false);

/// Names this process among others of its job, such as "rank 2", in the lines of errors and
/// warnings.
void name_process(const std::string& name);
/// Writes "treelight: TEXT" to standard error, as one printable line.
void print_error(std::string_view text);
/// Writes "treelight: warning: TEXT" in the same way.
void print_warning(std::string_view text);
void print_warnings(const std::vector<std::string>& texts);

}  // namespace tl
