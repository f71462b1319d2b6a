// Setting descriptors shared by the renderers that trace paths.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"

namespace tl {

/// Config::max_depth.
template <class Config>
[[nodiscard]] SettingEntry<Config> path_depth_setting() {
    return {
        "max-depth",
        &Config::max_depth,
        0,
        PathLimits::kMaxDepth,
        "bounces",
        "largest number of bounces between light and camera: 0 shows emission only, 1 adds direct "
        "light"};
}

}  // namespace tl
