#include "renderer/path/path_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

Settings PathConfig::settings() {
    Settings all{
        {"pipeline",
         pipeline,
         {"auto", "single-kernel", "wavefront"},
         "how rays become a picture on the CPU, the same one by all: one thread a path, which auto "
         "takes, or all paths bounce by bounce, as always on a GPU"},
        path_depth_setting(max_depth),
        {"max-scattered", max_scattered, 0, kMaxDepth, "bounces",
         "largest number of these surfaces that are neither mirrors nor clear glass: 1 shows the "
         "light that the Whitted tracer shows"},
        {"roulette-from", roulette_from, 0, kMaxDepth, "bounces",
         "paths of more bounces end at random, the sooner the less they carry; those that go on "
         "count for them, too"},
        {"find-lights",
         find_lights,
         {"both", "lights", "surfaces"},
         "how light from lamps and glowing surfaces is found, all without bias: by directions "
         "drawn towards lights, by those that surfaces draw, or both, each where it is better"},
        {"biased-clamp", biased_clamp, 0.0f, 1e6f, "W/(sr m^2)",
         "largest radiance that a path may bring by indirect light: fewer bright specks, but "
         "energy "
         "is lost; 0: no limit, without bias"},
        smooth_terminator_setting(smooth_terminator),
        texture_filter_setting(texture_filter),
    };
    mark_advanced(all, {"pipeline", "max-scattered", "roulette-from", "find-lights", "biased-clamp",
                        "smooth-terminator", "texture-filter"});
    return all;
}

}  // namespace tl
