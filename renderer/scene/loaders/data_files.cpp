#include "renderer/scene/loaders/data_files.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

namespace tl {
namespace {

namespace fs = std::filesystem;

/// The folder of the program, then that of the library in which this code is, if it is another one.
std::vector<fs::path> own_folders() {
    std::error_code error;
    std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", error).parent_path()};
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&own_folders), &library) && library.dli_fname) {
        auto folder = fs::canonical(library.dli_fname, error).parent_path();
        if (!error && folder != folders[0]) folders.push_back(folder);
    }
    return folders;
}

}  // namespace

std::string find_data_file(const std::string& relative) {
    std::error_code error;
    auto try_folder = [&](const fs::path& folder) {
        auto path = folder / relative;
        return fs::exists(path, error) ? path.lexically_normal().string() : std::string();
    };
    constexpr int kLevels = 4;  // build/<preset>/tests/viewer is the deepest executable
    for (auto& folder : own_folders())
        for (auto [level, at] = std::pair{0, folder}; level < kLevels && !at.empty();
             ++level, at = at.parent_path()) {
            for (const char* place : {"share/treelight", "share/doc/treelight", ""})
                if (auto found = try_folder(at / place); !found.empty()) return found;
        }
    return try_folder(TL_SOURCE_DIR);
}

}  // namespace tl
