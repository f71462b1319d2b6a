// Settings shared by the renderers that trace paths: depth limits, Russian roulette, light
// sampling.
#pragma once

#include "accel/parallel/enum_names.h"

namespace tl {

/// Sampling technique for direct lighting from lamps and emissive surfaces.
enum class LightTechnique : int {
    both,      ///< MIS of the other two, by the power heuristic
    lights,    ///< light sampling only
    surfaces,  ///< BSDF sampling only
};
[[nodiscard]] constexpr auto names_of(LightTechnique) {
    return std::to_array<EnumName<LightTechnique>>({{LightTechnique::both, "both"},
                                                    {LightTechnique::lights, "lights"},
                                                    {LightTechnique::surfaces, "surfaces"}});
}

struct PathLimits {
    static constexpr int kMaxDepth = 64;
    static constexpr int kUsualDepth = 12;

    int max_depth = kUsualDepth;    ///< maximum number of bounces of a path
    int max_scattered = kMaxDepth;  ///< maximum number of bounces that are not smooth specular
    int roulette_from = 3;          ///< paths of at most this depth always survive roulette
    float roulette_below = 1e30f;   ///< throughput from which on paths always survive roulette
    /// Maximum number of gathering paths (follow_path.h) in a pixel per sample. At smooth glass a
    /// path splits while it has more than one slot.
    int n_lanes = 1;
    LightTechnique find_lights = LightTechnique::both;
    float biased_clamp = 0;  ///< maximum radiance of an indirect path; 0: no limit
    bool smooth_terminator = true;
};

}  // namespace tl
