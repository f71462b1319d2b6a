// Limits for a TOML text, whose parser recurses and keeps a node for each value: the nesting of its
// tables and arrays, and the memory of its nodes.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// Deepest nesting of brackets, and most parts of a dotted key.
inline constexpr int kDeepestToml = 32;

/// Throws UserError "file:line: what" where brackets or the parts of a key exceed kDeepestToml, and
/// "file: what" where its nodes would not fit the free memory. Strings and comments do not count.
/// The text need not be valid.
void check_toml_limits(std::string_view text, const std::string& file);

}  // namespace tl
