#include "renderer/points/points_config.h"

namespace tl {

const SettingsOf<PointsConfig>& PointsConfig::declared_settings() {
    static const SettingsOf<PointsConfig> all{
        {"color", &PointsConfig::color,
         "colour of points: their own, or false colours of height or batch"},
        {"size", &PointsConfig::size, 0, 100, "",
         "size of points, as a multiple of their own radius; 0: one pixel each"},
        {"shading", &PointsConfig::shading, 0, 10, "",
         "darkening beside nearer points (eye-dome lighting, Boucheny 2009)"},
        {"budget", &PointsConfig::budget, 0, 1'000'000'000, "",
         "largest number of points drawn per frame; later frames draw the others; all (0): no "
         "limit",
         kAdvanced},
        {"per-pixel", &PointsConfig::per_pixel, 0, 1000, "",
         "points drawn per pixel that a batch of 1,024 may cover; all (0): no limit", kAdvanced},
    };
    return all;
}

}  // namespace tl
