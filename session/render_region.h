// The rectangle of a picture to which samples are limited.
#pragma once

#include <string>

#include "renderer/film/film_share.h"
#include "session/session.h"

namespace tl {

/// Reason why the session's renderer cannot be limited to a region, such as pixels that depend on
/// their neighbours; "" if it can be.
[[nodiscard]] std::string region_fault(Session& session);
/// Corners of a region in pixels, "10,20 to 90,120": the first pixel, and the end of the region,
/// which is excluded.
[[nodiscard]] std::string text_of(const FilmRegion& region);

}  // namespace tl
