// How a pixel's samples are placed, the same for every renderer.
#pragma once

#include "accel/parallel/settings.h"

namespace tl {

/// Where the numbers come from that samples are placed by.
enum class SamplePattern : int {
    sobol,   ///< low discrepancy: Owen-scrambled Sobol points, pair by pair
    random,  ///< independent
};

/// How the surroundings of a pixel count in it.
enum class PixelFilter : int { box, tent, blackman_harris };

struct SamplingConfig {
    /// Samples before a pixel's error is trusted, and between two looks at it; even, since the
    /// error comes from two halves of them.
    static constexpr std::uint32_t kFirstLook = 16, kLooks = 8;

    SamplePattern pattern = SamplePattern::sobol;
    PixelFilter filter = PixelFilter::box;
    float filter_radius = 0;
    float error = 0;

    [[nodiscard]] Settings settings();
    /// filter_radius, or what suits the filter.
    [[nodiscard]] float radius() const;
};

}  // namespace tl
