#include "renderer/radiosity/radiosity_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<RadiosityConfig>& RadiosityConfig::declared_settings() {
    static const SettingsOf<RadiosityConfig> all{
        {"points", &RadiosityConfig::points, 1, kMostPoints, "points",
         "points spread over all surfaces, at which light between these is found; each of them "
         "counts for both sides of its surface where light may reach both"},
        {"mode", &RadiosityConfig::mode,
         "how the light that points send to each other is added up: for all pairs of them, at most "
         "100,000; between groups of points, each taken for one; or between groups by expansions, "
         "the fast multipole method"},
        {"expansions", &RadiosityConfig::expansions,
         "in mode fmm: values between which fields are interpolated, or series of solid harmonics",
         kAdvanced},
        {"error", &RadiosityConfig::error, 0.0001f, 0.5f, "",
         "in modes hierarchical and fmm: the requested error of light between points, "
         "relative to the light of all pairs"},
        {"bounces", &RadiosityConfig::bounces, 0, 64, "bounces",
         "largest number of surfaces that scatter light before it arrives at one that is seen; "
         "fewer where little light is left"},
        {"caustic-photons", &RadiosityConfig::caustic_photons, 0, 1 << 24, "photons",
         "photons of each sample that find the light which mirrors and glass throw onto surfaces; "
         "no more are traced where the first ones find nothing; 0: none"},
        {"view", &RadiosityConfig::view,
         "what is shown: the picture; or the light of each point by itself, without anything in "
         "between, wherever it is the nearest one, or on a disc of its area"},
        {"point-light", &RadiosityConfig::point_light,
         "in views cells and discs: the light that leaves a point, or all that arrives there, as a "
         "white surface would send it on"},
        {"visibility", &RadiosityConfig::visibility,
         "how it is found out which points see each other: by rays through the scene, by the discs "
         "of the points in between, or as if nothing were in the way",
         kAdvanced},
        {"link-rays", &RadiosityConfig::link_rays, 1, 1024, "rays",
         "in modes hierarchical and fmm: rays between two groups, to find out whether they see "
         "each "
         "other",
         kAdvanced},
        {"link-threads", &RadiosityConfig::link_threads,
         "in modes hierarchical and fmm: links are found by a thread for each pair of groups, by "
         "one for each group, or by "
         "several for each group (Goradia 2008, section 6.4)",
         kAdvanced},
        {"link-memory", &RadiosityConfig::link_memory,
         "in modes hierarchical and fmm, with visibility by rays: when something has moved, groups "
         "of points that have not, and between which nothing has, see each other as before; the "
         "picture is the same, and memory is saved without",
         kAdvanced},
        {"check-points", &RadiosityConfig::check_points, 0, 100'000, "points",
         "points at which the first bounce is also added up over all points, with a visibility "
         "test "
         "for each, to tell the error; 0: none",
         kAdvanced},
        {"light-samples", &RadiosityConfig::light_samples, 1, 1 << 14, "rays",
         "rays towards lights from each point", kAdvanced},
        path_depth_setting<RadiosityConfig>(),
        smooth_terminator_setting<RadiosityConfig>(),
        texture_filter_setting<RadiosityConfig>(),
    };
    return all;
}

}  // namespace tl
