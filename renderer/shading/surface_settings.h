// Settings shared by renderers of surfaces.
#pragma once

#include "core/base/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Config::smooth_terminator.
template <class Config>
[[nodiscard]] SettingEntry<Config> smooth_terminator_setting() {
    return {"smooth-terminator", &Config::smooth_terminator,
            "smooth the shadow terminator of triangles with interpolated normals", kAdvanced};
}

/// Config::texture_filter.
template <class Config>
[[nodiscard]] SettingEntry<Config> texture_filter_setting() {
    return {"texture-filter", &Config::texture_filter,
            "nearest texel, bilinear, or trilinear between mip levels of the pixel's footprint",
            kAdvanced};
}

}  // namespace tl
