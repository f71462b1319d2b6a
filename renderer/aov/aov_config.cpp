#include "renderer/aov/aov_config.h"

namespace tl {

const SettingsOf<AovConfig>& AovConfig::declared_settings() {
    static const SettingsOf<AovConfig> all{
        {"channel", &AovConfig::channel, "property of the first hit that is shown"},
        {"far", &AovConfig::far, 0, 1e6, "m",
         "depth that gets the last colour; auto (0): the picture's greatest"},
    };
    return all;
}

}  // namespace tl
