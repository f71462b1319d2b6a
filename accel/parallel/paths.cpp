#include "accel/parallel/paths.h"

namespace tl {

std::filesystem::path absolute_path(const std::filesystem::path& path) {
    if (path.empty()) return path;
    std::error_code error;
    auto absolute = std::filesystem::absolute(path, error);
    return error ? path : absolute.lexically_normal();
}

}  // namespace tl
