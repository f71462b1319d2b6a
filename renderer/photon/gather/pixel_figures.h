// Per-pixel statistics of a picture rendered from photons: photon density, search radius and error.
// The error has two parts. Noise is estimated from the variance over passes, which are independent.
// Bias is caused by the kernel's radius. It is estimated from the Laplacian of the light, by
// derivatives of a kernel (Hachisuka, Jarosz & Jensen 2010, "A progressive error estimation
// framework for photon density estimation"). The derivatives do not see light missing where half of
// the kernel lies beyond the edge of a surface.
#pragma once

#include "core/base/macros.h"
#include "core/base/math.h"

namespace tl {

/// Sums over the gather points of one pixel, or of one of its paths, in one pass.
struct alignas(16) GatherFigures {
    vec3 bias;       ///< bias of the pixel's radiance, W/(sr m^2)
    float density;   ///< photons per m^2
    float radius;    ///< search radius, m
    float n_points;  ///< gather points; divisor of density and radius
    float unused[2];

    TL_HD void add(const GatherFigures& other) {
        bias += other.bias;
        density += other.density;
        radius += other.radius;
        n_points += other.n_points;
    }
};
static_assert(sizeof(GatherFigures) == 32);

[[nodiscard]] TL_HD inline float luminance_of(vec3 rgb) {
    return glm::dot(rgb, vec3(0.2126f, 0.7152f, 0.0722f));
}

/// Error of the mean over a pixel's passes, in luminance, W/(sr m^2).
struct PixelError {
    float noise;  ///< standard error
    float bias;   ///< absolute value

    /// Estimated error. At least nine in ten pixels are off by less than twice that.
    [[nodiscard]] TL_HD float sum() const { return noise + bias; }
};

/// Statistics of one pixel over all its passes.
struct alignas(16) PixelFigures {
    vec3 bias;  ///< sum over passes, W/(sr m^2)
    float n_passes;
    float luminance;     ///< mean over passes, W/(sr m^2)
    float squares;       ///< sum of squared deviations of the luminance from its mean
    float bias_squares;  ///< sum of squared deviations of the bias's luminance
    float density;       ///< sum over gather points, photons per m^2
    float n_points;      ///< number of gather points
    float radius;        ///< mean search radius in the newest pass that gathered, m
    float unused[2];

    /// Adds a pass (Welford 1962, "Note on a method for calculating corrected sums of squares and
    /// products").
    TL_HD void add(vec3 radiance, const GatherFigures& places) {
        n_passes += 1;
        float now = luminance_of(radiance), before = now - luminance;
        luminance += before / n_passes;
        squares += before * (now - luminance);
        float bias_before = n_passes > 1 ? luminance_of(bias) / (n_passes - 1) : 0.0f;
        bias += places.bias;
        float bias_now = luminance_of(places.bias);
        bias_squares += (bias_now - bias_before) * (bias_now - luminance_of(bias) / n_passes);
        density += places.density;
        n_points += places.n_points;
        if (places.n_points > 0) radius = places.radius / places.n_points;
    }
    /// Factor on the mean bias that removes the bias estimate's own noise; in [0, 1].
    [[nodiscard]] TL_HD float certain_share() const {
        if (n_passes < 2) return 0;
        float mean = luminance_of(bias) / n_passes;
        float variance = bias_squares / (n_passes * (n_passes - 1));
        return mean != 0 ? sqrtf(maximum(1 - variance / (mean * mean), 0.0f)) : 0;
    }
    [[nodiscard]] TL_HD vec3 mean_bias() const {
        return n_passes > 0 ? bias * (certain_share() / n_passes) : vec3(0);
    }
    /// Before the second pass the error is unknown: the whole luminance counts as noise.
    [[nodiscard]] TL_HD PixelError error() const {
        if (n_passes < 2) return {luminance, 0};
        return {sqrtf(maximum(squares, 0.0f) / (n_passes * (n_passes - 1))),
                fabsf(luminance_of(mean_bias()))};
    }
    [[nodiscard]] TL_HD float mean_density() const { return n_points > 0 ? density / n_points : 0; }
};
static_assert(sizeof(PixelFigures) == 48);

/// Sums over the pixels of a picture, in luminance.
struct PictureError {
    float luminance, error, bias;

    /// Error divided by the picture's luminance.
    [[nodiscard]] TL_HD float relative() const { return luminance > 0 ? error / luminance : 0; }
    [[nodiscard]] TL_HD float share_of_bias() const { return error > 0 ? bias / error : 0; }
};
static_assert(sizeof(PictureError) == 12);

}  // namespace tl
