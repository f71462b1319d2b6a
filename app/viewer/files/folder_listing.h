// Lists a folder for the file browser.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tl {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
    std::uintmax_t bytes = 0;
};

/// Subfolders of a folder, and its files with an extension in `extensions`. Each group is sorted by
/// name, hidden entries left out. `error`: why the folder cannot be read.
struct FolderListing {
    std::string path;  ///< absolute
    std::vector<FolderEntry> entries;
    std::string error;
};
[[nodiscard]] FolderListing list_folder(const std::string& path,
                                        const std::vector<std::string>& extensions);

}  // namespace tl
