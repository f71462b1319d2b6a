#include "renderer/path/path_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<PathConfig>& PathConfig::declared_settings() {
    static const SettingsOf<PathConfig> all{
        {"pipeline", &PathConfig::pipeline,
         "how rays become a picture on the CPU, the same one by all: one thread a path, which auto "
         "takes, or all paths bounce by bounce, as always on a GPU",
         kAdvanced},
        path_depth_setting<PathConfig>(),
        {"max-scattered", &PathConfig::max_scattered, 0, kMaxDepth, "bounces",
         "largest number of these surfaces that are neither mirrors nor clear glass: 1 shows the "
         "light that the Whitted tracer shows",
         kAdvanced},
        {"roulette-from", &PathConfig::roulette_from, 0, kMaxDepth, "bounces",
         "paths of more bounces end at random, the sooner the less they carry; those that go on "
         "count for them, too",
         kAdvanced},
        {"find-lights", &PathConfig::find_lights,
         "how light from lamps and glowing surfaces is found, all without bias: by directions "
         "drawn towards lights, by those that surfaces draw, or both, each where it is better",
         kAdvanced},
        {"biased-clamp", &PathConfig::biased_clamp, 0.0f, 1e6f, "W/(sr m^2)",
         "largest radiance that a path may bring by indirect light: fewer bright specks, but "
         "energy "
         "is lost; 0: no limit, without bias",
         kAdvanced},
        smooth_terminator_setting<PathConfig>(),
        texture_filter_setting<PathConfig>(),
    };
    return all;
}

}  // namespace tl
