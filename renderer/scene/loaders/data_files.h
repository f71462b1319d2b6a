// Finds the data files of the program, whether it runs from a build tree or is installed or moved.
#pragma once

#include <string>

namespace tl {

/// The path of `relative` ("scenes/cornell-box.toml", "docs/viewer.md") in the folder of the
/// executable or up to three levels above, or in `share/treelight` or `share/doc/treelight` there;
/// else likewise from the folder of the library;
/// else in the source tree of this build. "" if it is in none.
[[nodiscard]] std::string find_data_file(const std::string& relative);

}  // namespace tl
