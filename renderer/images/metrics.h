// Error metrics between two pictures: squared errors, and FLIP, which estimates the difference
// perceived when flipping between them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

/// An error for each pixel, row 0 at the top.
struct ErrorMap {
    Extent extent;
    std::vector<float> values;

    [[nodiscard]] double mean() const;
};

/// Mean squared error over all pixels and channels. All functions here require pictures of equal
/// size.
[[nodiscard]] double mean_squared_error(const ImageF& reference, const ImageF& test);
/// Squared error relative to the reference's square, per channel, plus 0.01 in the denominator
/// (Rousselle, Knaus & Zwicker 2011, "Adaptive sampling and reconstruction using greedy error
/// minimization").
[[nodiscard]] ErrorMap relative_squared_errors(const ImageF& reference, const ImageF& test);
/// Peak signal-to-noise ratio in dB of display colours in [0, 1]; infinite for equal pictures.
[[nodiscard]] double peak_signal_to_noise(const ImageF& reference, const ImageF& test);

/// Viewing conditions for FLIP.
struct FlipView {
    /// Pixels per degree of the visual field: a monitor of 3840 pixels and 0.7 m, 0.7 m away.
    double pixels_per_degree = 67.02;
};
/// FLIP of display colours, 0 to 1 (Andersson et al. 2020, "FLIP: a difference evaluator for
/// alternating images").
[[nodiscard]] ErrorMap flip_errors(const Image16& reference, const Image16& test,
                                   const FlipView& view = {});
/// HDR-FLIP of linear radiance: the largest FLIP over the exposures that suit the reference,
/// tone-mapped by the ACES curve (Andersson et al. 2021, "Visualizing errors in rendered high
/// dynamic range images"). Calls `report` now and then with the progress, 0 to 1; it may throw to
/// cancel.
[[nodiscard]] ErrorMap flip_errors(const ImageF& reference, const ImageF& test,
                                   const FlipView& view = {},
                                   const std::function<void(float)>& report = {});

/// Linear colours of an image for a display, in sRGB.
[[nodiscard]] ImageF linear_of(const Image16& image);

}  // namespace tl
