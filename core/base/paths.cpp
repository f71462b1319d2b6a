#include "core/base/paths.h"

#include <cstdlib>

namespace tl {

std::filesystem::path absolute_path(const std::filesystem::path& path) {
    if (path.empty()) return path;
    std::error_code error;
    auto absolute = std::filesystem::absolute(path, error);
    return error ? path : absolute.lexically_normal();
}

std::string with_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    if (!home || !(path == "~" || path.starts_with("~/"))) return path;
    return (std::filesystem::path(home) / (path.size() > 2 ? path.substr(2) : "")).string();
}

}  // namespace tl
