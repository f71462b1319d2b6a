// File names for screenshots.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// "{folder}/{scene}_{renderer}_{spp}spp_{n}{extension}" with the smallest unused n >= 1. `beside`
/// gives the path of a file that is written with it, which must be unused as well; null: none is.
[[nodiscard]] std::string free_screenshot_path(const std::string& folder, const std::string& scene,
                                               const std::string& renderer, std::uint32_t spp,
                                               const std::string& extension,
                                               std::string (*beside)(const std::string&) = nullptr);

}  // namespace tl
