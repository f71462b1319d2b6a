#include "renderer/points/points_config.h"

namespace tl {

const SettingsOf<PointsConfig>& PointsConfig::declared_settings() {
    static const SettingsOf<PointsConfig> all{
        {"color", &PointsConfig::color,
         "Colour: colour of points: their own, or false colours of height or batch"},
        {"size", &PointsConfig::size, 0, 100, "",
         "Point size: size of points, as a multiple of their own radius; 0: one pixel each"},
        {"shading", &PointsConfig::shading, 0, 10, "",
         "Eye-dome lighting: darkening beside nearer points (Boucheny 2009)"},
        {"budget", &PointsConfig::budget, 0, 1'000'000'000, "",
         "Points per frame: largest number of points drawn per frame; later frames draw the "
         "others; 0: all",
         kAdvanced},
        {"per-pixel", &PointsConfig::per_pixel, 0, 1000, "",
         "Points per pixel: points drawn per pixel that a batch of 1,024 may cover; 0: all",
         kAdvanced},
    };
    return all;
}

}  // namespace tl
