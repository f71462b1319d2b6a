#include "renderer/radiosity/radiosity_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

Settings RadiosityConfig::settings() {
    Settings all{
        {"points", points, 1, kMostPoints, "points",
         "spread over all surfaces, at which light between them is found; each of them counts for "
         "both sides of its surface where light may reach both"},
        {"bounces", bounces, 0, 64, "bounces",
         "most surfaces that scatter light before it arrives at one that is seen; fewer where "
         "little of it is left"},
        {"visibility",
         visibility,
         {"rays", "points", "none"},
         "how it is found out which points see each other: by rays through the scene, by the discs "
         "of the points in between, or as if nothing were in the way"},
        {"light-samples", light_samples, 1, 1 << 14, "rays", "towards lights from each point"},
        path_depth_setting(max_depth),
        smooth_terminator_setting(smooth_terminator),
        texture_filter_setting(texture_filter),
    };
    mark_advanced(all, {"visibility", "light-samples", "smooth-terminator", "texture-filter"});
    return all;
}

}  // namespace tl
