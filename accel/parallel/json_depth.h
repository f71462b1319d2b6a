// How deeply the brackets of a JSON text are nested, found without recursion: readers of JSON that
// call themselves for each level run out of stack on texts made for it.
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
