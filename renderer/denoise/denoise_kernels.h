// The passes of the denoiser.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film_view.h"

namespace tl {

struct DenoisePasses {
    int n = 0;           ///< the last one reaches 2^n pixels to each side
    float strength = 1;  ///< 0: the film as it is
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the smoothed mean of each pixel's samples to `out`, with 1 in w. `guides` has the
    /// channels depth, shading_normal and albedo. Never waits.
    void denoise_film(Scratch& scratch, const FilmView& film, const AovView& guides,
                      const DenoisePasses& passes, View<vec4> out);
)
// clang-format on
