// Finds the data files of the program, whether it runs from a build tree or is installed or moved.
#pragma once

#include <string>

namespace tl {

/// The path of `relative` ("scenes/cornell-box.toml") beside the executable, above it (a build
/// inside the sources), in ../share/treelight, or in the source tree of this build; "" if it is in
/// none.
[[nodiscard]] std::string find_data_file(const std::string& relative);

}  // namespace tl
