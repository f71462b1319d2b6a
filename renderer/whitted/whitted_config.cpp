#include "renderer/whitted/whitted_config.h"

#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<WhittedConfig>& WhittedConfig::declared_settings() {
    static const SettingsOf<WhittedConfig> all{
        {"pipeline", &WhittedConfig::pipeline,
         "how rays become a picture, all the same one: one thread a pixel; queues of rays, bounce "
         "by bounce; shade trees walked per pixel; shade trees evaluated level by level"},
        {"order", &WhittedConfig::order,
         "in which order the camera's rays are taken: tiles in Morton order or by rows, or rows of "
         "the picture",
         kAdvanced},
        {"max-depth", &WhittedConfig::max_depth, 0, kMaxDepth, "bounces",
         "longest chain of reflections and refractions"},
        {"light-samples", &WhittedConfig::light_samples, 1, 64, "rays",
         "shadow rays to each area light, for every hit and frame"},
        {"ambient", &WhittedConfig::ambient, 0.0f, 10.0f, "W/(sr m^2)",
         "radiance that every diffuse surface reflects besides the lights'"},
        {"cutoff", &WhittedConfig::cutoff, 0.0f, 1.0f, "",
         "rays that count less than this in their pixel are not followed", kAdvanced},
        {"shadows", &WhittedConfig::shadows, "trace shadow rays; off: nothing casts shadows"},
        {"glass-shadows", &WhittedConfig::glass_shadows,
         "light passes glass on its way to a surface, tinted and not refracted; else glass casts "
         "full shadows"},
        {"fresnel", &WhittedConfig::fresnel, "how much glass reflects"},
        texture_filter_setting<WhittedConfig>(),
        smooth_terminator_setting<WhittedConfig>(),
        {"packets", &WhittedConfig::packets,
         "the single kernel on the CPU: eight rays at a time, in scenes without textures, "
         "colours of vertices, instances and patches, with layout simd8; else one by one",
         kAdvanced},
        {"expensive-tiles-first", &WhittedConfig::expensive_tiles_first,
         "the single kernel on a GPU: tiles that took longest some frames before start first; off: "
         "tiles start in the order in which they lie",
         kAdvanced},
    };
    return all;
}

}  // namespace tl
