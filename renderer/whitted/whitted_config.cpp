#include "renderer/whitted/whitted_config.h"

#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<WhittedConfig>& WhittedConfig::declared_settings() {
    static const auto all =
        SettingsOf<WhittedConfig>{
            {"pipeline", &WhittedConfig::pipeline,
             "scheduling of rays; the picture is the same: one thread per pixel, queues of rays "
             "per bounce, shade trees walked per pixel, or shade trees evaluated level by level"},
            {"max-depth", &WhittedConfig::max_depth, 0, kMaxDepth, "bounces",
             "longest chain of reflections and refractions"},
            {"light-samples", &WhittedConfig::light_samples, 1, 64, "rays",
             "shadow rays to each area light, per hit and frame"},
            {"ambient", &WhittedConfig::ambient, 0.0f, 10.0f, "W/(sr m^2)",
             "radiance added to every diffuse surface"},
            {"cutoff", &WhittedConfig::cutoff, 0.0f, 1.0f, "",
             "rays whose throughput is below this are not traced", kAdvanced},
            {"shadows", &WhittedConfig::shadows, "trace shadow rays; off: nothing casts shadows"},
            {"glass-shadows", &WhittedConfig::glass_shadows,
             "shadow rays pass glass, tinted and unrefracted; off: glass casts full shadows"},
            {"gloss", &WhittedConfig::gloss,
             "Glossy reflections: rough mirrors and rough glass distribute their rays over a lobe "
             "and reflect lights; off: they look smooth"},
            {"phong-gloss", &WhittedConfig::phong_gloss,
             "Phong reflections: Phong materials reflect other surfaces too, by a ray distributed "
             "over their lobe"},
            {"fresnel", &WhittedConfig::fresnel,
             "Fresnel reflection: reflectance of smooth glass: exact Fresnel equations, or "
             "Schlick's approximation"},
            texture_filter_setting<WhittedConfig>(),
            smooth_terminator_setting<WhittedConfig>(),
        }
            .with_retired({"order", "packets", "expensive-tiles-first"});
    return all;
}

}  // namespace tl
