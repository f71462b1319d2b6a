// How far two films of the same size are apart.
#pragma once

#include "renderer/film/film.h"

namespace tl {

/// Of the pixels' mean radiance, the channel that differs most.
struct FilmDifference {
    float largest = 0;              ///< W/(sr m^2); infinite where a pixel is not finite
    std::uint32_t n_differing = 0;  ///< pixels that are not just the same
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Waits for the stream.
    FilmDifference difference_of_films(Scratch& scratch, FilmView a, FilmView b);
)
// clang-format on
