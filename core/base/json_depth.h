// Nesting depth of a JSON text's brackets, found without recursion: recursive readers of JSON run
// out of stack on maliciously nested texts.
#pragma once

#include <cstddef>
#include <string_view>

namespace tl {

/// Texts that are nested more deeply are refused. No file in practice comes near.
inline constexpr std::size_t kDeepestJson = 256;

/// The greatest number of brackets and braces that are open at once; those within strings do not
/// count. The text need not be valid.
[[nodiscard]] std::size_t json_depth(std::string_view text);

}  // namespace tl
