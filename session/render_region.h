// The rectangle of a picture to which samples are limited.
#pragma once

#include <string>

#include "renderer/film/film_share.h"
#include "session/session.h"

namespace tl {

/// Why the pictures of the session's renderer have no region, or "": their pixels depend on one
/// another.
[[nodiscard]] std::string region_fault(Session& session);
/// Corners of a region, "10,20 to 90,120".
[[nodiscard]] std::string text_of(const FilmRegion& region);

}  // namespace tl
