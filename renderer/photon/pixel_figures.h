// What is known of a pixel of a picture made from photons, apart from its colour: the density of
// photons, the radius, and the error, which has two parts. Noise is estimated from the variance
// over passes, which are independent of each other. Bias, which the kernel's radius brings about,
// is estimated from the light's Laplacian, found with derivatives of a kernel (Hachisuka, Jarosz &
// Jensen 2010, "A progressive error estimation framework for photon density estimation"). Where
// half of the radius lies beyond the edge of a surface, light is missing that no derivative tells
// of.
#pragma once

#include "accel/parallel/macros.h"
#include "accel/parallel/math.h"

namespace tl {

/// Of one pixel, or one of its lanes, in one pass: sums over the places where it gathers.
struct alignas(16) PlaceFigures {
    vec3 bias;       ///< in the pixel's radiance, W/(sr m^2)
    float density;   ///< photons per m^2
    float radius;    ///< m
    float n_places;  ///< by which density and radius are divided
    float unused[2];

    TL_HD void add(const PlaceFigures& other) {
        bias += other.bias;
        density += other.density;
        radius += other.radius;
        n_places += other.n_places;
    }
};
static_assert(sizeof(PlaceFigures) == 32);

[[nodiscard]] TL_HD inline float luminance_of(vec3 rgb) {
    return glm::dot(rgb, vec3(0.2126f, 0.7152f, 0.0722f));
}

/// Of the mean of a pixel's passes, in luminance, W/(sr m^2).
struct PixelError {
    float noise;  ///< standard error
    float bias;   ///< without its sign

    /// The estimated error. Nine pixels in ten or more are off by less than twice that.
    [[nodiscard]] TL_HD float sum() const { return noise + bias; }
};

/// Of one pixel over all its passes.
struct alignas(16) PixelFigures {
    vec3 bias;  ///< sum
    float n_passes;
    float luminance;     ///< mean
    float squares;       ///< of its distances from the mean, summed
    float bias_squares;  ///< the same of the bias's luminance
    float density;       ///< sum over places, photons per m^2
    float n_places;
    float radius;  ///< in the newest pass that gathered, m
    float unused[2];

    /// Adds a pass (Welford 1962, "Note on a method for calculating corrected sums of squares and
    /// products").
    TL_HD void add(vec3 radiance, const PlaceFigures& places) {
        n_passes += 1;
        float now = luminance_of(radiance), before = now - luminance;
        luminance += before / n_passes;
        squares += before * (now - luminance);
        float bias_before = n_passes > 1 ? luminance_of(bias) / (n_passes - 1) : 0.0f;
        bias += places.bias;
        float bias_now = luminance_of(places.bias);
        bias_squares += (bias_now - bias_before) * (bias_now - luminance_of(bias) / n_passes);
        density += places.density;
        n_places += places.n_places;
        if (places.n_places > 0) radius = places.radius / places.n_places;
    }
    /// The factor of the bias's mean that leaves it without its own noise.
    [[nodiscard]] TL_HD float certain_share() const {
        if (n_passes < 2) return 0;
        float mean = luminance_of(bias) / n_passes;
        float variance = bias_squares / (n_passes * (n_passes - 1));
        return mean != 0 ? sqrtf(maximum(1 - variance / (mean * mean), 0.0f)) : 0;
    }
    [[nodiscard]] TL_HD vec3 mean_bias() const {
        return n_passes > 0 ? bias * (certain_share() / n_passes) : vec3(0);
    }
    /// Before the second pass nothing is known: all of the luminance is noise.
    [[nodiscard]] TL_HD PixelError error() const {
        if (n_passes < 2) return {luminance, 0};
        return {sqrtf(maximum(squares, 0.0f) / (n_passes * (n_passes - 1))),
                fabsf(luminance_of(mean_bias()))};
    }
    [[nodiscard]] TL_HD float mean_density() const { return n_places > 0 ? density / n_places : 0; }
};
static_assert(sizeof(PixelFigures) == 48);

/// Sums over a picture's pixels, of luminance.
struct PictureError {
    float luminance, error, bias;

    /// The error of a pixel as a part of the picture's mean.
    [[nodiscard]] TL_HD float relative() const { return luminance > 0 ? error / luminance : 0; }
    [[nodiscard]] TL_HD float share_of_bias() const { return error > 0 ? bias / error : 0; }
};
static_assert(sizeof(PictureError) == 12);

}  // namespace tl
