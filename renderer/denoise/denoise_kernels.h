// The passes of the denoiser.
#pragma once

#include "core/device/array.h"
#include "renderer/denoise/guides.h"
#include "renderer/film/film_view.h"

namespace tl {

struct DenoisePasses {
    int n = 0;           ///< number of passes; the last one reaches 2^n pixels to each side
    float strength = 1;  ///< positive
};

/// Mark of a pixel whose variance is unknown.
inline constexpr float kUnknownVariance = -1;

/// Half the width, in pixels, of the square around a pixel whose means bound the smoothed pixel:
/// each channel stays between their minimum and maximum.
inline constexpr int kDenoiseRange = 2;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the smoothed mean of each pixel's samples to `out`, with 1 in w. Pixels without
    /// samples, or whose mean is not finite, get the mean of their neighbours, if these have one.
    /// Never waits.
    void denoise_film(Scratch& scratch, const FilmView& film, const GuideView& guides,
                      const DenoisePasses& passes, View<vec4> out);
)
// clang-format on
