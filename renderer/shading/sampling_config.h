// Settings of pixel sampling, the same for every renderer.
#pragma once

#include "accel/parallel/settings.h"

namespace tl {

/// Source of the sample points.
enum class SamplePattern : int {
    sobol,   ///< low discrepancy: Owen-scrambled Sobol points, pair by pair
    random,  ///< independent
};

/// Pixel filter: distribution of samples around a pixel's centre.
enum class PixelFilter : int { box, tent, blackman_harris };

struct SamplingConfig {
    /// Samples before a pixel's error is first estimated, and between two estimates. Even, since
    /// the error is estimated from two halves of them.
    static constexpr std::uint32_t kFirstLook = 16, kLooks = 8;

    SamplePattern pattern = SamplePattern::sobol;
    PixelFilter filter = PixelFilter::box;
    float filter_radius = 0;
    float error = 0;

    [[nodiscard]] Settings settings();
    /// filter_radius, or the default of the filter.
    [[nodiscard]] float radius() const;
};

}  // namespace tl
