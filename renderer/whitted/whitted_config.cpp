#include "renderer/whitted/whitted_config.h"

#include "renderer/shading/surface_settings.h"

namespace tl {

Settings WhittedConfig::settings() {
    Settings all{
        {"pipeline",
         pipeline,
         {"single-kernel", "wavefront", "post-order", "by-level"},
         "how rays become a picture, all the same one: one thread a pixel; queues of rays, bounce "
         "by bounce; shade trees walked per pixel; shade trees evaluated level by level"},
        {"order",
         order,
         {"morton", "tile", "row"},
         "in which order the camera's rays are taken: tiles in Morton order or by rows, or rows of "
         "the picture"},
        {"max-depth", max_depth, 0, kMaxDepth, "bounces",
         "longest chain of reflections and refractions"},
        {"light-samples", light_samples, 1, 64, "rays",
         "shadow rays to each area light, for every hit and frame"},
        {"ambient", ambient, 0.0f, 10.0f, "W/(sr m^2)",
         "radiance that every diffuse surface reflects besides the lights'"},
        {"cutoff", cutoff, 0.0f, 1.0f, "",
         "rays that count less than this in their pixel are not followed"},
        {"shadows", shadows, "trace shadow rays; off: nothing casts shadows"},
        {"glass-shadows", glass_shadows,
         "light passes glass on its way to a surface, tinted and not refracted; else glass casts "
         "full shadows"},
        {"fresnel", fresnel, {"exact", "schlick"}, "how much glass reflects"},
        texture_filter_setting(texture_filter),
        smooth_terminator_setting(smooth_terminator),
        {"packets", packets,
         "the single kernel on the CPU: eight rays at a time, in scenes without textures, "
         "colours of vertices, instances and patches, with layout simd8; else one by one"},
        {"expensive-tiles-first", expensive_tiles_first,
         "the single kernel on a GPU: tiles that took longest some frames before start first; off: "
         "tiles start in the order in which they lie"},
    };
    mark_advanced(all, {"order", "cutoff", "texture-filter", "smooth-terminator", "packets",
                        "expensive-tiles-first"});
    return all;
}

}  // namespace tl
