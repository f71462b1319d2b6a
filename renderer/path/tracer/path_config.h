// The settings of the path tracer.
#pragma once

#include "core/base/settings.h"
#include "renderer/path/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Execution model of the path tracer. All pipelines render the same picture, to float rounding.
enum class PathPipeline : int {
    automatic,      ///< the faster one on the device
    single_kernel,  ///< a thread traces each path from end to end; on a GPU same as `wavefront`
    wavefront,      ///< all paths advance together, bounce by bounce
};
[[nodiscard]] constexpr auto names_of(PathPipeline) {
    return std::to_array<EnumName<PathPipeline>>({{PathPipeline::automatic, "auto"},
                                                  {PathPipeline::single_kernel, "single-kernel"},
                                                  {PathPipeline::wavefront, "wavefront"}});
}

struct PathConfig : PathLimits {
    PathPipeline pipeline = PathPipeline::automatic;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] static const SettingsOf<PathConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
