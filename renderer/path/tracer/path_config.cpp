#include "renderer/path/tracer/path_config.h"

#include "renderer/path/path_limits.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<PathConfig>& PathConfig::declared_settings() {
    static const SettingsOf<PathConfig> all{
        {"pipeline", &PathConfig::pipeline,
         "scheduling of paths on the CPU; the picture is the same: one thread per path "
         "(auto), or all paths bounce by bounce, as always on a GPU",
         kAdvanced},
        path_depth_setting<PathConfig>(),
        {"max-scattered", &PathConfig::max_bsdf_bounces, 0, kMaxDepth, "bounces",
         "largest number of diffuse or glossy bounces of a path: 1 shows the light that the "
         "Whitted tracer shows",
         kAdvanced},
        {"roulette-from", &PathConfig::roulette_from, 0, kMaxDepth, "bounces",
         "bounces before Russian roulette ends paths of low throughput; the picture stays "
         "unbiased",
         kAdvanced},
        {"find-lights", &PathConfig::direct_lighting,
         "light sampling, all unbiased: shadow rays to sampled lights, sampled BSDF "
         "directions, or both combined by multiple importance sampling",
         kAdvanced},
        {"biased-clamp", &PathConfig::biased_clamp, 0.0f, 1e6f, "W/(sr m^2)",
         "largest radiance of an indirect contribution: less noise, but energy is lost; off (0): "
         "no "
         "limit",
         kAdvanced},
        smooth_terminator_setting<PathConfig>(),
        texture_filter_setting<PathConfig>(),
    };
    return all;
}

}  // namespace tl
