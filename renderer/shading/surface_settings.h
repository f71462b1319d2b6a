// Settings shared by renderers of surfaces.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

[[nodiscard]] inline Setting smooth_terminator_setting(bool& smooth_terminator) {
    return {"smooth-terminator", smooth_terminator,
            "triangles with smooth normals cast no shadow steps on themselves"};
}

[[nodiscard]] inline Setting texture_filter_setting(TextureFilter& filter) {
    return {"texture-filter",
            filter,
            {"nearest", "bilinear", "mip"},
            "one texel; between four; between mip maps as coarse as what a pixel sees"};
}

}  // namespace tl
