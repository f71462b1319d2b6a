#include "renderer/bezier/bezier_config.h"

namespace tl {

const SettingsOf<BezierConfig>& BezierConfig::declared_settings() {
    static const auto all =
        SettingsOf<BezierConfig>{
            {"mode", &BezierConfig::mode,
             "how rays meet patches: without a miss; by the resultant of degree 18 and all of its "
             "complex roots, or only the real ones that count (Kajiya 1982, Lahabar 2010); by "
             "Newton's "
             "method; by Bezier clipping"},
            {"show", &BezierConfig::show,
             "false colours for the camera's rays: where the mode differs from the certified one; "
             "steps "
             "of its root finder; pairs of the ray with a patch or a piece"},
            {"uv-lines", &BezierConfig::uv_lines, 0, 64, "",
             "darken lines of equal u and v, so many parts to a side of a patch; 0: none"},
            {"max-depth", &BezierConfig::max_depth, 0, 8, "bounces",
             "longest chain of reflections; glass sends on what counts more of its two rays"},
            {"ambient", &BezierConfig::ambient, 0.0f, 10.0f, "W/(sr m^2)",
             "radiance that every diffuse surface reflects besides the lights'"},
            {"shadows", &BezierConfig::shadows, "trace shadow rays; off: nothing casts shadows"},
            {"compare", &BezierConfig::compare,
             "also trace the camera's rays by the certified method, and count what the mode misses "
             "and "
             "what either takes",
             kAdvanced},
            {"pair-memory", &BezierConfig::pair_memory, 1, 65536, "MB",
             "memory for pairs of a ray and a patch, which Kajiya's method takes in batches",
             kAdvanced},
        }
            .with(&BezierConfig::scale, ColorScaleConfig::declared_settings());
    return all;
}

}  // namespace tl
