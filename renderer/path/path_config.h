// The settings of the path tracer.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How rays become a picture; all pipelines give the same one, to float rounding.
enum class PathPipeline : int {
    automatic,      ///< the one that is faster on the device
    single_kernel,  ///< a thread follows a path from end to end; on a GPU as the other
    wavefront,      ///< all paths advance together, bounce by bounce
};

struct PathConfig : PathLimits {
    PathPipeline pipeline = PathPipeline::automatic;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
