// The difference of two films of the same size.
#pragma once

#include "renderer/film/film.h"

namespace tl {

/// Differences of the pixels' mean radiance, by the channel that differs most.
struct FilmDifference {
    float largest = 0;              ///< W/(sr m^2); infinite where a pixel is not finite
    std::uint32_t n_differing = 0;  ///< pixels that are not exactly equal
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Compares two films. Waits for the stream.
    FilmDifference difference_of_films(Scratch& scratch, FilmView a, FilmView b);
)
// clang-format on
