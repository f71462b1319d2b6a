// What a TOML text asks of its parser, which recurses and keeps a node for each value: how deep its
// tables and arrays are nested, and how much memory its nodes take.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// Most brackets within each other, and most parts of a dotted key.
inline constexpr int kDeepestToml = 32;

/// Throws UserError "file:line: what" where brackets or the parts of a key exceed kDeepestToml, and
/// "file: what" where its nodes would not fit the free memory. Strings and comments do not count.
/// The text need not be valid.
void check_toml_limits(std::string_view text, const std::string& file);

}  // namespace tl
