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

/// A folder's subfolders and those files whose ending is in `extensions`, each sorted by name,
/// hidden ones left out. `error` says why a folder cannot be read.
struct FolderListing {
    std::string path;  ///< absolute
    std::vector<FolderEntry> entries;
    std::string error;
};
[[nodiscard]] FolderListing list_folder(const std::string& path,
                                        const std::vector<std::string>& extensions);

}  // namespace tl
