// How far paths are followed, and how they find light: settings that renderers of paths share.
#pragma once

#include "accel/parallel/enum_names.h"

namespace tl {

/// How light from lamps and glowing surfaces is found.
enum class LightTechnique : int {
    both,      ///< weighted by the power heuristic
    lights,    ///< only by directions drawn towards lights
    surfaces,  ///< only by directions that surfaces draw
};
[[nodiscard]] constexpr auto names_of(LightTechnique) {
    return std::to_array<EnumName<LightTechnique>>({{LightTechnique::both, "both"},
                                                    {LightTechnique::lights, "lights"},
                                                    {LightTechnique::surfaces, "surfaces"}});
}

struct PathLimits {
    static constexpr int kMaxDepth = 64;
    static constexpr int kUsualDepth = 12;

    int max_depth = kUsualDepth;    ///< surfaces that scatter light on its way to the camera
    int max_scattered = kMaxDepth;  ///< of those, the ones that have a BSDF
    int roulette_from = 3;          ///< bounces that are not ended at random
    float roulette_below = 1e30f;   ///< weight from which on none is
    /// Of paths that gather (follow_path.h), how many of one sample there may be in a pixel: at
    /// smooth glass a path splits as long as it has more than one lane.
    int n_lanes = 1;
    LightTechnique find_lights = LightTechnique::both;
    float biased_clamp = 0;  ///< most radiance of an indirect path; 0: no limit
    bool smooth_terminator = true;
};

}  // namespace tl
