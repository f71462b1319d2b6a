#include "renderer/points/points_config.h"

namespace tl {

const SettingsOf<PointsConfig>& PointsConfig::declared_settings() {
    static const SettingsOf<PointsConfig> all{
        {"color", &PointsConfig::color, "what points are coloured by"},
        {"size", &PointsConfig::size, 0, 100, "",
         "size of points, times their own radius; 0: a pixel each"},
        {"shading", &PointsConfig::shading, 0, 10, "",
         "darkening beside nearer points (eye-dome lighting, Boucheny 2009)"},
        {"budget", &PointsConfig::budget, 0, 1'000'000'000, "",
         "points drawn a frame, further frames draw the others; 0: all", kAdvanced},
        {"per-pixel", &PointsConfig::per_pixel, 0, 1000, "",
         "points drawn for each pixel that a batch of 1,024 may cover; 0: all", kAdvanced},
    };
    return all;
}

}  // namespace tl
