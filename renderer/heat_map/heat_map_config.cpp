#include "renderer/heat_map/heat_map_config.h"

namespace tl {

const SettingsOf<HeatMapConfig>& HeatMapConfig::declared_settings() {
    static const auto all =
        SettingsOf<HeatMapConfig>{
            {"count", &HeatMapConfig::count, "traversal work that is counted along a ray"}}
            .with(&HeatMapConfig::scale, ColorScaleConfig::declared_settings())
            .with({{"shadows", &HeatMapConfig::shadows, "also count a shadow ray to every light"}});
    return all;
}

}  // namespace tl
