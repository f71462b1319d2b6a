#include "app/viewer/files/folder_listing.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/paths.h"

namespace tl {
namespace fs = std::filesystem;

FolderListing list_folder(const std::string& path, const std::vector<std::string>& extensions) {
    FolderListing listing;
    std::error_code error;
    auto folder = absolute_path(path.empty() ? "." : path);
    if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();
    listing.path = folder.string();
    auto entries =
        fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
    if (error) {
        listing.error = error.message();
        return listing;
    }
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
        if (error) break;
        auto& entry = *entries;
        std::string name = entry.path().filename().string();
        std::error_code unreadable;
        if (name.starts_with(".")) continue;
        if (entry.is_directory(unreadable)) {
            listing.entries.push_back({name, true, 0});
            continue;
        }
        auto extension = lower_case(entry.path().extension().string());
        if (std::ranges::find(extensions, extension) == extensions.end()) continue;
        auto bytes = entry.file_size(unreadable);
        listing.entries.push_back({name, false, unreadable ? 0 : bytes});
    }
    std::ranges::sort(listing.entries, [](auto& a, auto& b) {
        return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
    });
    return listing;
}

}  // namespace tl
