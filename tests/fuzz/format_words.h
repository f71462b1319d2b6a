// Words that the formats' readers know, beyond those that the seeds use.
#pragma once

#include <span>
#include <string_view>

namespace tl::fuzz {

/// Words for an ending such as ".obj"; none for formats that are not made of words.
[[nodiscard]] std::span<const std::string_view> words_of_format(std::string_view ending);

}  // namespace tl::fuzz
