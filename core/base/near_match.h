// Names that resemble a mistyped one, for error messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace tl {

/// The name that differs least from a mistyped one; "" if none is near. A third of the letters may
/// be wrong, missing, additional or, as one mistake, swapped with their neighbours.
[[nodiscard]] std::string near_match(std::string_view mistyped,
                                     const std::vector<std::string>& names);

/// "; did you mean 'x'?", or "" where no name is near.
[[nodiscard]] std::string suggestion(std::string_view mistyped,
                                     const std::vector<std::string>& names);

/// End of an error about an unknown word: "; known: a, b, c", with a suggestion where one is near.
template <class Names>
[[nodiscard]] std::string known_names(std::string_view word, const Names& names) {
    std::vector<std::string> all;
    for (auto&& name : names) all.emplace_back(name);
    return "; known: " + joined(all) + suggestion(word, all);
}

/// "; did you mean 'PATH'?" with an existing path of which each part is that of `path` or near it;
/// "" where there is none. Large folders are not searched.
[[nodiscard]] std::string path_suggestion(const std::string& path);

}  // namespace tl
