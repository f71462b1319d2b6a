// Settings of pixel sampling, the same for every renderer.
#pragma once

#include "core/base/settings.h"

namespace tl {

/// Source of the sample points.
enum class SamplePattern : int {
    sobol,   ///< low discrepancy: Owen-scrambled Sobol points, pair by pair
    random,  ///< independent
};
[[nodiscard]] constexpr auto names_of(SamplePattern) {
    return std::to_array<EnumName<SamplePattern>>(
        {{SamplePattern::sobol, "sobol"}, {SamplePattern::random, "random"}});
}

/// Pixel filter: distribution of samples around a pixel's centre.
enum class PixelFilter : int { box, tent, blackman_harris };
[[nodiscard]] constexpr auto names_of(PixelFilter) {
    return std::to_array<EnumName<PixelFilter>>(
        {{PixelFilter::box, "box"},
         {PixelFilter::tent, "tent"},
         {PixelFilter::blackman_harris, "blackman-harris"}});
}

struct SamplingConfig {
    /// Samples before a pixel's error is first estimated, and between two estimates. Even, since
    /// the error is estimated from two halves of them.
    static constexpr std::uint32_t kFirstLook = 16, kLooks = 8;
    static constexpr int kMostShutterTimes = 64;

    SamplePattern pattern = SamplePattern::sobol;
    PixelFilter filter = PixelFilter::box;
    float filter_radius = 0;
    float error = 0;
    float shutter = 0;      ///< seconds
    int shutter_times = 1;  ///< moments of the shutter in one sample of a picture

    [[nodiscard]] static const SettingsOf<SamplingConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    /// filter_radius, or the default of the filter.
    [[nodiscard]] float radius() const;
};

}  // namespace tl
