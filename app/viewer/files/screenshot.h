// File names for screenshots.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// "{scene}_{renderer}_{spp}spp", with dashes for what may not be in a file's name.
[[nodiscard]] std::string screenshot_name(const std::string& scene, const std::string& renderer,
                                          std::uint32_t spp);
/// "{folder}/{name}_{n}{extension}" with the smallest unused n >= 1. `beside` gives the path of a
/// file that is written with it, which must be unused as well; null: none is.
[[nodiscard]] std::string free_screenshot_path(const std::string& folder, const std::string& name,
                                               const std::string& extension,
                                               std::string (*beside)(const std::string&) = nullptr);

}  // namespace tl
