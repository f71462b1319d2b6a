// Normalisation of file paths for storage and comparison.
#pragma once

#include <filesystem>
#include <string>

namespace tl {

/// The path from the root, without "." and ".."; an empty one stays empty, and one that starts in a
/// working folder that is no longer there stays as it is. Links are not followed.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

/// The path with a leading "~/", or a lone "~", replaced by the user's home folder.
[[nodiscard]] std::string with_home(const std::string& path);

}  // namespace tl
