// How far two pictures are apart: by squared errors, and by FLIP, which estimates what a viewer
// sees who flips between them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

/// A number for each pixel, row 0 at the top.
struct ErrorMap {
    Extent extent;
    std::vector<float> values;

    [[nodiscard]] double mean() const;
};

/// The mean squared error over all pixels and channels. All functions here want pictures of one
/// size.
[[nodiscard]] double mean_squared_error(const ImageF& reference, const ImageF& test);
/// The squared error relative to the reference's square, each channel alone, plus 0.01 in the
/// denominator (Rousselle, Knaus & Zwicker 2011, "Adaptive sampling and reconstruction using greedy
/// error minimization").
[[nodiscard]] ErrorMap relative_squared_errors(const ImageF& reference, const ImageF& test);
/// The peak signal-to-noise ratio in dB of display colours in [0, 1]; infinite for equal pictures.
[[nodiscard]] double peak_signal_to_noise(const ImageF& reference, const ImageF& test);

/// How the pictures are looked at.
struct FlipView {
    /// Pixels per degree of the visual field: a monitor of 3840 pixels and 0.7 m, 0.7 m away.
    double pixels_per_degree = 67.02;
};
/// FLIP of display colours, 0 to 1 (Andersson et al. 2020, "FLIP: a difference evaluator for
/// alternating images").
[[nodiscard]] ErrorMap flip_errors(const Image16& reference, const Image16& test,
                                   const FlipView& view = {});
/// FLIP of linear radiance: the largest over the exposures at which the reference can be looked at,
/// tone-mapped by the ACES curve (Andersson et al. 2021, "Visualizing errors in rendered high
/// dynamic range images"). `report` is called now and then with the share that is done, 0 to 1; it
/// may throw to end the work.
[[nodiscard]] ErrorMap flip_errors(const ImageF& reference, const ImageF& test,
                                   const FlipView& view = {},
                                   const std::function<void(float)>& report = {});

/// Linear colours of an image for a display, in sRGB.
[[nodiscard]] ImageF linear_of(const Image16& image);

}  // namespace tl
