#include "renderer/path/path_config.h"

namespace tl {

Settings PathConfig::settings() {
    return {
        {"pipeline",
         pipeline,
         {"auto", "single-kernel", "wavefront"},
         "how rays become a picture, all the same one: one thread a path, except for patches on a "
         "GPU; all paths bounce by bounce; auto takes the latter on a GPU"},
        {"max-depth", max_depth, 0, kMaxDepth, "bounces",
         "most surfaces that scatter light on its way from a source to the camera: 0 shows only "
         "sources, 1 direct light too"},
        {"max-scattered", max_scattered, 0, kMaxDepth, "bounces",
         "most of them that are neither mirrors nor clear glass: 1 shows the light that the "
         "Whitted "
         "tracer shows"},
        {"roulette-from", roulette_from, 0, kMaxDepth, "bounces",
         "paths of more bounces end at random, the sooner the less they carry; those that go on "
         "count for them"},
        {"find-lights",
         find_lights,
         {"both", "lights", "surfaces"},
         "how light from lamps and glowing surfaces is found, all without bias: by directions "
         "drawn "
         "towards lights, by those that surfaces draw, or both, each where it is better"},
        {"biased-clamp", biased_clamp, 0.0f, 1e6f, "W/(sr m^2)",
         "most that a path may bring by indirect light: fewer bright specks, but energy is lost; "
         "0: "
         "all, without bias"},
        {"smooth-terminator", smooth_terminator,
         "triangles with smooth normals cast no shadow steps on themselves"},
        {"texture-filter",
         texture_filter,
         {"nearest", "bilinear", "mip"},
         "one texel; between four; between mip maps as coarse as what a pixel sees"},
    };
}

}  // namespace tl
