// Settings that renderers of paths share.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"

namespace tl {

/// Config::max_depth.
template <class Config>
[[nodiscard]] SettingEntry<Config> path_depth_setting() {
    return {"max-depth",
            &Config::max_depth,
            0,
            PathLimits::kMaxDepth,
            "bounces",
            "largest number of surfaces that scatter light on its way from a source to the camera: "
            "0 shows only sources, 1 direct light, too"};
}

}  // namespace tl
