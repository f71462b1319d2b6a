#include "app/viewer/files/screenshot.h"

#include <cctype>
#include <filesystem>

namespace tl {
namespace fs = std::filesystem;

std::string screenshot_name(const std::string& scene, const std::string& renderer,
                            std::uint32_t spp) {
    std::string name;
    for (char c : scene.empty() ? std::string("scene") : scene) {
        bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.';
        name += plain ? c : '-';
    }
    return name + "_" + renderer + "_" + std::to_string(spp) + "spp";
}

std::string free_screenshot_path(const std::string& folder, const std::string& name,
                                 const std::string& extension,
                                 std::string (*beside)(const std::string&)) {
    for (int n = 1;; ++n) {
        auto path = fs::path(folder) / (name + "_" + std::to_string(n) + extension);
        std::error_code ignored;
        bool used =
            fs::exists(path, ignored) || (beside && fs::exists(beside(path.string()), ignored));
        if (!used) return path.string();
    }
}

}  // namespace tl
