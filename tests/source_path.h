// Paths of scenes, assets and expected results in the checkout that the tests were built from.
#pragma once

#include <string>
#include <string_view>

namespace tl {

/// Absolute path of a file or folder of the checkout, such as "scenes/teapot.toml".
[[nodiscard]] std::string source_path(std::string_view in_checkout);

}  // namespace tl
