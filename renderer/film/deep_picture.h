// Tone mapping in host memory, at the full precision of the radiance.
#pragma once

#include "renderer/film/film.h"

namespace tl {

/// The picture that tone_map() shows, in 8 or 16 bits a channel. Pixels that are not finite become
/// magenta.
[[nodiscard]] Image16 deep_picture_of(const ImageF& radiance, const ToneMap& map, int bits = 16);

}  // namespace tl
