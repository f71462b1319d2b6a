// Paths of files as they are kept and compared.
#pragma once

#include <filesystem>

namespace tl {

/// The path from the root, without "." and ".."; an empty one stays empty, and one that starts in a
/// working folder that is no longer there stays as it is. Links are not followed.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

}  // namespace tl
