// Lists a folder for the file browser.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

namespace tl {

struct FolderEntry {
    std::string name;
    bool is_folder = false;
    std::uintmax_t bytes = 0;
    std::time_t changed = 0;  ///< time of the last change; 0: not known
};

/// Subfolders of a folder, and its files with an extension in `extensions`. Each group is sorted by
/// name, hidden entries left out.
struct FolderListing {
    std::string path;  ///< absolute
    std::vector<FolderEntry> entries;
    std::string error;              ///< why the folder cannot be read, or ""
    std::uintmax_t bytes_free = 0;  ///< on its disk; 0: not known
};
[[nodiscard]] FolderListing list_folder(const std::string& path,
                                        const std::vector<std::string>& extensions);

/// "2026-11-30 18:23", local time; "" for 0.
[[nodiscard]] std::string date_text(std::time_t time);

}  // namespace tl
