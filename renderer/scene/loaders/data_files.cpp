#include "renderer/scene/loaders/data_files.h"

#include <filesystem>

namespace tl {
namespace fs = std::filesystem;

std::string find_data_file(const std::string& relative) {
    std::error_code error;
    auto try_folder = [&](const fs::path& folder) {
        auto path = folder / relative;
        return fs::exists(path, error) ? path.lexically_normal().string() : std::string();
    };
    auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    constexpr int kLevels = 4;  // build/<preset>/tests/viewer is the deepest executable
    for (auto [level, at] = std::pair{0, folder}; level < kLevels && !at.empty();
         ++level, at = at.parent_path()) {
        if (auto found = try_folder(at); !found.empty()) return found;
        if (auto found = try_folder(at / "share/treelight"); !found.empty()) return found;
    }
    return try_folder(TL_SOURCE_DIR);
}

}  // namespace tl
