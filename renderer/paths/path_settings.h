// Setting descriptors shared by the renderers that trace paths.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"

namespace tl {

[[nodiscard]] inline Setting path_depth_setting(int& max_depth) {
    return {"max-depth",
            max_depth,
            0,
            PathLimits::kMaxDepth,
            "bounces",
            "largest number of surfaces that scatter light on its way from a source to the camera: "
            "0 shows only sources, 1 direct light, too"};
}

}  // namespace tl
