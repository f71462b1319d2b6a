// Settings that renderers of surfaces share.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Config::smooth_terminator.
template <class Config>
[[nodiscard]] SettingEntry<Config> smooth_terminator_setting() {
    return {"smooth-terminator", &Config::smooth_terminator,
            "triangles with smooth normals cast no shadow steps on themselves", kAdvanced};
}

/// Config::texture_filter.
template <class Config>
[[nodiscard]] SettingEntry<Config> texture_filter_setting() {
    return {"texture-filter", &Config::texture_filter,
            "one texel; between four; between mip maps as coarse as what a pixel sees", kAdvanced};
}

}  // namespace tl
