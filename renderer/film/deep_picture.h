// Tone mapping on the CPU to 8 or 16 bits per channel.
#pragma once

#include "renderer/film/film.h"

namespace tl {

/// Tone-maps radiance, linear RGB, as tone_map() does on the device. `bits`: 8 or 16 per channel.
/// Pixels that are not finite become magenta; alpha is opaque.
[[nodiscard]] Image16 deep_picture_of(const ImageF& radiance, const ToneMap& map, int bits = 16);

}  // namespace tl
