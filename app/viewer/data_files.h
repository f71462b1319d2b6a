// Finds the files that come with the program, run from a build, installed, or moved.
#pragma once

#include <string>

namespace tl {

/// The path of `relative` ("scenes/cornell-box.toml") beside the executable, above it (a build
/// inside the sources), in ../share/treelight, or where this build was configured; "" when it is in
/// none.
[[nodiscard]] std::string find_data_file(const std::string& relative);

}  // namespace tl
