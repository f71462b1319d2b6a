// Settings of paths from the camera: depth limits, Russian roulette, light sampling. The row of the
// maximum depth is shared by the renderers that trace paths.
#pragma once

#include "core/base/settings.h"

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
    LightTechnique find_lights = LightTechnique::both;
    float biased_clamp = 0;  ///< maximum radiance of an indirect path; 0: no limit
    bool smooth_terminator = true;
};

/// Splitting of paths at smooth glass, for renderers that gather light (follow_path.h).
struct PathSplitting {
    /// Maximum number of paths in a pixel per sample. A path splits while it has more than one
    /// slot.
    int n_lanes = 1;
    float roulette_below = 1e30f;  ///< throughput from which on paths always survive roulette
};

/// The row of Config::max_depth.
template <class Config>
[[nodiscard]] SettingEntry<Config> path_depth_setting() {
    return {
        "max-depth",
        &Config::max_depth,
        0,
        PathLimits::kMaxDepth,
        "bounces",
        "largest number of bounces between light and camera: 0 shows emission only, 1 adds direct "
        "light"};
}

}  // namespace tl
