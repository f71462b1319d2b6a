#include "renderer/shading/sampling_config.h"

namespace tl {

Settings SamplingConfig::settings() {
    Settings all{
        {"pattern",
         pattern,
         {"sobol", "random"},
         "the numbers that samples are placed by: evenly spread (Owen-scrambled Sobol points) or "
         "independent"},
        {"filter",
         filter,
         {"box", "tent", "blackman-harris"},
         "how much samples count by their distance from the pixel's centre"},
        {"filter-radius", filter_radius, 0.0f, 8.0f, "pixels",
         "distance from the pixel's centre to the filter's end; 0: box 0.5, tent 1, "
         "blackman-harris 1.5"},
        {"error", error, 0.0f, 1.0f, "",
         "pixels whose estimated error is less than this get no more samples; 1 is the display's "
         "range; 0: every pixel gets all samples"},
    };
    mark_advanced(all, {"filter-radius"});
    return all;
}

float SamplingConfig::radius() const {
    constexpr float kRadii[] = {0.5f, 1, 1.5f};  // default radius of each PixelFilter
    return filter_radius > 0 ? filter_radius : kRadii[static_cast<int>(filter)];
}

}  // namespace tl
