// The passes of the denoiser.
#pragma once

#include "accel/gaussians/gaussians.h"
#include "core/device/array.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"

namespace tl {

struct DenoisePasses {
    int n = 0;           ///< number of passes; the last one reaches 2^n pixels to each side
    float strength = 1;  ///< positive
};

/// Half the width, in pixels, of the square around a pixel whose means bound the smoothed pixel:
/// each channel stays between their minimum and maximum.
inline constexpr int kDenoiseRange = 2;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the smoothed mean of each pixel's samples to `out`, with 1 in w. `guides` has the
    /// channels depth and shading_normal, and the sums `reflected` and `background`. Pixels without
    /// samples, or whose mean is not finite, get the mean of their neighbours, if these have one.
    /// Never waits.
    void denoise_film(Scratch& scratch, const FilmView& film, const AovView& guides,
                      const DenoisePasses& passes, View<vec4> out);
    /// Marks pixels by w = -infinity in guides.reflected, where Gaussians hide more than a tenth of
    /// the surface at the pixel's centre. Call it once `guides` has the first sample of `frame`.
    /// Never waits.
    void mark_gaussians(Stream& stream, const Frame& frame, const GaussiansView& gaussians,
                        const AovView& guides);
)
// clang-format on
