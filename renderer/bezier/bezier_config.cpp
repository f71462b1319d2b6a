#include "renderer/bezier/bezier_config.h"

namespace tl {

Settings BezierConfig::settings() {
    Settings all{
        {"mode",
         mode,
         {"certified", "kajiya", "kajiya-real", "newton", "clipping"},
         "how rays meet patches: without a miss; by the resultant of degree 18 and all of its "
         "complex roots, or only the real ones that count (Kajiya 1982, Lahabar 2010); by Newton's "
         "method; by Bezier clipping"},
        {"show",
         show,
         {"picture", "misses", "iterations", "tests"},
         "false colours for the camera's rays: where the mode differs from the certified one; "
         "steps "
         "of its root finder; pairs of the ray with a patch or a piece"},
        {"uv-lines", uv_lines, 0, 64, "",
         "darken lines of equal u and v, so many parts to a side of a patch; 0: none"},
        {"max-depth", max_depth, 0, 8, "bounces",
         "longest chain of reflections; glass sends on what counts more of its two rays"},
        {"ambient", ambient, 0.0f, 10.0f, "W/(sr m^2)",
         "radiance that every diffuse surface reflects besides the lights'"},
        {"shadows", shadows, "trace shadow rays; off: nothing casts shadows"},
        {"compare", compare,
         "also trace the camera's rays by the certified method, and count what the mode misses and "
         "what either takes"},
        {"pair-memory", pair_memory, 1, 65536, "MB",
         "memory for pairs of a ray and a patch, which Kajiya's method takes in batches"},
    };
    mark_advanced(all, {"compare", "pair-memory"});
    return all;
}

}  // namespace tl
