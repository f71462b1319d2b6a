#include "app/viewer/files/folder_listing.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/paths.h"

namespace tl {
namespace fs = std::filesystem;

namespace {

std::time_t change_of(const fs::path& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 ? found.st_mtime : 0;
}

}  // namespace

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
    std::error_code unknown;
    auto space = fs::space(folder, unknown);
    if (!unknown) listing.bytes_free = space.available;
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
        if (error) break;
        auto& entry = *entries;
        std::string name = entry.path().filename().string();
        std::error_code unreadable;
        if (name.starts_with(".")) continue;
        if (entry.is_directory(unreadable)) {
            listing.entries.push_back({name, true, 0, change_of(entry.path())});
            continue;
        }
        auto extension = lower_case(entry.path().extension().string());
        if (std::ranges::find(extensions, extension) == extensions.end()) continue;
        auto bytes = entry.file_size(unreadable);
        listing.entries.push_back({name, false, unreadable ? 0 : bytes, change_of(entry.path())});
    }
    std::ranges::sort(listing.entries, [](auto& a, auto& b) {
        return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
    });
    return listing;
}

std::string date_text(std::time_t time) {
    if (time == 0) return "";
    std::tm local{};
    localtime_r(&time, &local);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
    return text;
}

}  // namespace tl
