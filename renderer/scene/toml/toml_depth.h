// How deep the tables and arrays of a TOML text are nested, before a recursive parser reads it.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// Most brackets within each other, and most parts of a dotted key.
inline constexpr int kDeepestToml = 32;

/// Throws UserError "file:line: what" where brackets or the parts of a key exceed kDeepestToml.
/// Strings and comments do not count. The text need not be valid.
void check_toml_depth(std::string_view text, const std::string& file);

}  // namespace tl
