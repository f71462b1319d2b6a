// The pixels of a picture that ranks share, brought together. A pixel belongs to one rank, so that
// nothing is added up, and each pixel crosses the network once.
#pragma once

#include <cstddef>

#include "core/base/math.h"
#include "core/ranks/ranks.h"

namespace tl {

/// Collective: replaces each pixel's `per_pixel` numbers at the root by those of the rank whose
/// share (FilmShare::of) has the pixel. The arrays, row by row, have `extent` pixels.
void gather_shares(RankGroup& ranks, Extent extent, float* numbers, std::size_t per_pixel);

}  // namespace tl
