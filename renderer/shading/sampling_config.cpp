#include "renderer/shading/sampling_config.h"

namespace tl {

const SettingsOf<SamplingConfig>& SamplingConfig::declared_settings() {
    static const SettingsOf<SamplingConfig> all{
        {"pattern", &SamplingConfig::pattern,
         "sample points: Owen-scrambled Sobol points of low discrepancy, or independent "
         "random numbers"},
        {"filter", &SamplingConfig::filter, "pixel filter"},
        {"filter-radius", &SamplingConfig::filter_radius, 0.0f, 8.0f, "pixels",
         "radius of the pixel filter; auto (0): box 0.5, tent 1, blackman-harris 1.5", kAdvanced},
        {"error", &SamplingConfig::error, 0.0f, 1.0f, "",
         "adaptive sampling: pixels whose estimated error is below this get no more samples; "
         "1 is the display's range; off (0): every pixel gets all samples"},
        {"shutter", &SamplingConfig::shutter, 0.0f, 1e4f, "seconds",
         "motion blur: time that the shutter stays open, from the frame's time on; each sample "
         "shows the scene at another moment of it; off (0): the frame's time only"},
        {"shutter-times", &SamplingConfig::shutter_times, 1, kMostShutterTimes, "",
         "moments of the shutter over which the pixels of each sample are spread; more of them "
         "blur a single sample, and each builds a tree of its own",
         kAdvanced},
    };
    return all;
}

float SamplingConfig::radius() const {
    constexpr float kRadii[] = {0.5f, 1, 1.5f};  // default radius of each PixelFilter
    return filter_radius > 0 ? filter_radius : kRadii[static_cast<int>(filter)];
}

}  // namespace tl
