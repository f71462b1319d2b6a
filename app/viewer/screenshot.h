// Names and writes pictures of the film.
#pragma once

#include <string>

#include "app/session.h"

namespace tl {

/// "{folder}/{scene}_{renderer}_{spp}spp_{n}{extension}" with the first n from 1 that is free.
[[nodiscard]] std::string free_screenshot_path(const std::string& folder, const std::string& scene,
                                               const std::string& renderer, std::uint32_t spp,
                                               const std::string& extension);

/// Writes the film: .png tone-mapped, .hdr and .exr linear. Waits for the frame; throws UserError.
void save_film(Session& session, const std::string& path);

}  // namespace tl
