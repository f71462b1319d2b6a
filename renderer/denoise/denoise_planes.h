// The film and its guides in the layout of the denoiser's passes: one plane of floats per
// component, stored by rows. Rows have a margin of pixels without a surface, so that neighbours in
// x always exist.
#pragma once

#include "core/device/array.h"
#include "renderer/denoise/guides.h"
#include "renderer/denoise/pixel_lanes.h"
#include "renderer/film/film_view.h"

TL_DEVICE_BEGIN

struct DenoisePlanes {
    int width, height;
    int margin;  ///< pixels before and after each row; those between two rows belong to both
    int stride;  ///< floats from one row to the next
    // Guides.
    float* normal[3];   ///< unit; 0 where the pixel is not smoothed
    float* depth;       ///< along the view
    float* slope[2];    ///< change of the depth per pixel along x and y
    float* cover;       ///< fraction of guide samples that hit the surface; 1 where not smoothed
    float* divisor[3];  ///< reflectance times cover; 1 where not smoothed
    float* beyond[3];   ///< radiance of the background times (1 - cover)
    float* noise;       ///< variance of the luminance of `from` by the samples; negative: unknown
    float* mixed;  ///< 1 where parts of several surfaces make a pixel unlike all around it; or 0
    // The film.
    float* given[3];  ///< means of samples; NaN where there are none or they are not finite
    float* dimmed;    ///< factor of a firefly's radiance on the surface, at most 1
    float *from[3], *variance_from;  ///< input of a pass: (radiance - beyond) / divisor; variance
    float *to[3], *variance_to;      ///< output of a pass, in the units of its input

    /// Allocates the planes of a picture from `scratch`, for passes that read up to `reach` pixels
    /// away.
    static DenoisePlanes take(Scratch& scratch, Extent extent, int reach) {
        constexpr int kAlign = 8;
        auto aligned = [](int n) { return (n + kAlign - 1) / kAlign * kAlign; };
        DenoisePlanes p{};
        p.width = extent.width;
        p.height = extent.height;
        p.margin = aligned(reach);
        p.stride = aligned(extent.width) + p.margin;
        auto plane = [&] { return scratch.take<float>(p.size()).data; };
        for (auto* planes : {p.normal, p.divisor, p.beyond, p.given, p.from, p.to})
            for (int c = 0; c < 3; ++c) planes[c] = plane();
        for (auto** one : {&p.depth, &p.slope[0], &p.slope[1], &p.cover, &p.mixed, &p.noise,
                           &p.dimmed, &p.variance_from, &p.variance_to})
            *one = plane();
        return p;
    }
    /// Number of floats in a plane.
    [[nodiscard]] TL_HD std::size_t size() const {
        return static_cast<std::size_t>(stride) * static_cast<std::size_t>(height) +
               static_cast<std::size_t>(margin);
    }
    /// Index of pixel (x, y) in a plane; `x` may lie in the margin.
    [[nodiscard]] TL_HD std::ptrdiff_t index(int x, int y) const {
        return static_cast<std::ptrdiff_t>(y) * stride + margin + x;
    }
    [[nodiscard]] TL_HD bool has_row(int y) const { return y >= 0 && y < height; }
    /// The planes with `from` and `to` swapped (ping-pong), so that the next pass reads what this
    /// pass wrote.
    [[nodiscard]] DenoisePlanes turned() const {
        DenoisePlanes p = *this;
        for (int c = 0; c < 3; ++c) std::swap(p.from[c], p.to[c]);
        std::swap(p.variance_from, p.variance_to);
        return p;
    }
};

/// RGB colours of a group of pixels.
struct PixelColors {
    Pixels r, g, b;

    [[nodiscard]] TL_D static PixelColors load_from(float* const (&planes)[3], std::ptrdiff_t i) {
        return {load(planes[0] + i), load(planes[1] + i), load(planes[2] + i)};
    }
    TL_D void store_to(float* const (&planes)[3], std::ptrdiff_t i) const {
        store(planes[0] + i, r);
        store(planes[1] + i, g);
        store(planes[2] + i, b);
    }
    [[nodiscard]] TL_D Pixels luminance() const {
        return multiply_add(Pixels(0.2126f), r,
                            multiply_add(Pixels(0.7152f), g, Pixels(0.0722f) * b));
    }
};

/// Fills all planes for the first pass, margins included. The planes of variance do not hold
/// variances yet, but two inputs of the kernels that limit fireflies and estimate the variance.
/// Both are 0 unless the surface covers only a part of the pixel. `variance_to`: luminance of the
/// background, divided by that of the surface's reflectance. `variance_from`: variance of the
/// film's cover about the guides' cover, divided by the squared cover. It is negative if the film
/// has more samples than the guides.
void fill_planes(Stream& stream, const DenoisePlanes& planes, const FilmView& film,
                 const GuideView& guides);

TL_DEVICE_END
