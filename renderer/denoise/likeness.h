// Edge-stopping weights of the denoiser: similarity of the surfaces that two pixels show.
#pragma once

#include "renderer/denoise/denoise_planes.h"

TL_DEVICE_BEGIN

/// A weight in [0, 1]: factor * e^exponent. A pass multiplies `factor` and adds to `exponent`
/// before it calls weight(), so that a weight costs only one exponential.
struct Likeness {
    Pixels factor, exponent;

    [[nodiscard]] TL_D Pixels weight() const { return factor * exp_of_negative(exponent); }
};

/// Surfaces of a group of pixels in a row, for comparison with other pixels.
struct SeenSurface {
    Pixels normal[3], depth, slope[2];

    TL_D SeenSurface(const DenoisePlanes& p, std::ptrdiff_t i)
        : normal{load(p.normal[0] + i), load(p.normal[1] + i), load(p.normal[2] + i)},
          depth(load(p.depth + i)),
          slope{load(p.slope[0] + i), load(p.slope[1] + i)} {}

    /// Whether these are surfaces that are smoothed.
    [[nodiscard]] TL_D PixelMask is_smoothed() const {
        Pixels squared = multiply_add(normal[0], normal[0],
                                      multiply_add(normal[1], normal[1], normal[2] * normal[2]));
        return squared > Pixels(0.5f);
    }
    /// Cosine between the normals of these and of other pixels, at least 0.
    [[nodiscard]] TL_D Pixels cosine_to(const DenoisePlanes& p, std::ptrdiff_t there) const {
        Pixels cosine = normal[0] * load(p.normal[0] + there);
        cosine = multiply_add(normal[1], load(p.normal[1] + there), cosine);
        return maximum(multiply_add(normal[2], load(p.normal[2] + there), cosine), Pixels(0.0f));
    }
    /// Weight of the pixels at offset (dx, dy) from these, whose index in the planes is `there`. It
    /// is the product of three factors: the 64th power of the cosine between the normals; a factor
    /// that falls exponentially with the distance in depth from this surface's tangent plane; the
    /// cover of those pixels.
    [[nodiscard]] TL_D Likeness to(const DenoisePlanes& p, std::ptrdiff_t there, int dx,
                                   int dy) const {
        constexpr int kSquarings = 6;
        constexpr float kMostOfDepth = 1e-3f;
        Pixels cosine = cosine_to(p, there);
        for (int i = 0; i < kSquarings; ++i) cosine = cosine * cosine;
        Pixels expected = multiply_add(slope[0], Pixels(static_cast<float>(dx)),
                                       slope[1] * static_cast<float>(dy));
        Pixels off = absolute(load(p.depth + there) - depth - expected);
        Pixels allowed =
            absolute(expected) + multiply_add(Pixels(kMostOfDepth), depth, Pixels(1e-12f));
        return {cosine * load(p.cover + there), -off / allowed};
    }
};

TL_DEVICE_END
