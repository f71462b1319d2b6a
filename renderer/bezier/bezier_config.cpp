#include "renderer/bezier/bezier_config.h"

namespace tl {

const SettingsOf<BezierConfig>& BezierConfig::declared_settings() {
    static const auto all =
        SettingsOf<BezierConfig>{
            {"mode", &BezierConfig::mode,
             "ray-patch intersection: certified, without a miss; Kajiya's resultant of degree 18, "
             "with all complex roots or only the real ones in [0, 1] (Lahabar 2010); Newton's "
             "iteration; or Bezier clipping"},
            {"planes", &BezierConfig::planes,
             "planes of a camera ray in Kajiya's method: picture, those of its column and its row, "
             "computed once a frame (Lahabar 2010); ray, two of its own as for all other rays",
             kAdvanced},
            {"show", &BezierConfig::show,
             "the picture; or in false colours: camera rays that the mode misses, steps of its "
             "root finder, or pairs of a ray with a patch or a piece"},
            {"uv-lines", &BezierConfig::uv_lines, 0, 64, "",
             "dark isolines of u and v per side of a patch; off (0): none"},
            {"max-depth", &BezierConfig::max_depth, 0, 8, "bounces",
             "longest chain of reflections and refractions; smooth glass continues the ray of the "
             "larger throughput"},
            {"ambient", &BezierConfig::ambient, 0.0f, 10.0f, "W/(sr m^2)",
             "radiance added to every diffuse surface"},
            {"shadows", &BezierConfig::shadows, "trace shadow rays; off: nothing casts shadows"},
            {"gloss", &BezierConfig::gloss,
             "rough mirrors and rough glass distribute their ray over a lobe and reflect lights; "
             "off: they look smooth"},
            {"phong-gloss", &BezierConfig::phong_gloss,
             "Phong materials reflect other surfaces too, by a ray distributed over their lobe"},
            {"compare", &BezierConfig::compare,
             "also trace camera rays by the certified method, and count misses and work of both; "
             "in mode kajiya also count real roots in the order in which they are found",
             kAdvanced},
            {"pair-memory", &BezierConfig::pair_memory, 1, 65536, "MB",
             "memory for batches of ray-patch pairs of Kajiya's method", kAdvanced},
        }
            .with(&BezierConfig::scale, ColorScaleConfig::declared_settings());
    return all;
}

}  // namespace tl
