// The passes of the denoiser.
#pragma once

#include "accel/gaussians/gaussians.h"
#include "accel/parallel/array.h"
#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"

namespace tl {

struct DenoisePasses {
    int n = 0;           ///< the last one reaches 2^n pixels to each side
    float strength = 1;  ///< positive
};

/// A smoothed pixel lies between the least and the greatest mean, of each channel, of the pixels
/// at most this far from it along x and y.
inline constexpr int kDenoiseRange = 2;

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Writes the smoothed mean of each pixel's samples to `out`, with 1 in w. `guides` has the
    /// channels depth and shading_normal, `reflected` and `background`. Pixels without samples, or with a mean
    /// that is not finite, get the mean of their neighbours, if these have one. Never waits.
    void denoise_film(Scratch& scratch, const FilmView& film, const AovView& guides,
                      const DenoisePasses& passes, View<vec4> out);
    /// Marks pixels with w = -infinity in guides.reflected where Gaussians hide more than a tenth
    /// of the surface that the pixel's centre shows. `guides` has the first sample of `frame`.
    /// Never waits.
    void mark_gaussians(Stream& stream, const Frame& frame, const GaussiansView& gaussians,
                        const AovView& guides);
)
// clang-format on
