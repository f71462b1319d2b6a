// The settings of the path tracer.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How light from lamps and glowing surfaces is found.
enum class LightTechnique : int {
    both,      ///< weighted by the power heuristic
    lights,    ///< only by directions drawn towards lights
    surfaces,  ///< only by directions that surfaces draw
};

/// How rays become a picture; all pipelines give the same one, to float rounding.
enum class PathPipeline : int {
    automatic,      ///< the one that is faster on the device and in the scene
    single_kernel,  ///< one thread follows a path from end to end
    wavefront,      ///< all paths advance together, bounce by bounce
};

struct PathConfig {
    static constexpr int kMaxDepth = 64;

    PathPipeline pipeline = PathPipeline::automatic;
    int max_depth = 12;
    int max_scattered = kMaxDepth;
    int roulette_from = 3;
    LightTechnique find_lights = LightTechnique::both;
    float biased_clamp = 0;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
