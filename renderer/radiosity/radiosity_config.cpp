#include "renderer/radiosity/radiosity_config.h"

#include "renderer/path/path_limits.h"
#include "renderer/shading/surface_settings.h"

namespace tl {
namespace {

const SettingsOf<PointOctreeConfig>& settings_of_octree() {
    static const SettingsOf<PointOctreeConfig> all{
        {"octree", &PointOctreeConfig::builder,
         "builder of the octree over the points; all make the same tree, direct of at most 8 "
         "levels",
         kAdvanced},
        {"octree-levels", &PointOctreeConfig::levels, 1, OctreeHeader::kLevels, "levels",
         "height of the octree at most: cells of the last level are leaves, whatever they hold; "
         "the first level divides by normal",
         kAdvanced},
        {"leaf-size", &PointOctreeConfig::leaf_size, 1, OctreeConfig::kMostLeafSize, "points",
         "maximum points of a leaf above the last level; leaves of more than 16 that see each "
         "other in part are linked by the visible fraction, others by a bit for each pair of "
         "points",
         kAdvanced},
    };
    return all;
}

}  // namespace

const SettingsOf<RadiosityConfig>& RadiosityConfig::declared_settings() {
    static const SettingsOf<RadiosityConfig> all{
        {"points", &RadiosityConfig::points, 1, kMostPoints, "points",
         "sample points on all surfaces; a point counts for both sides of its surface where "
         "light may reach both"},
        {"mode", &RadiosityConfig::mode,
         "transport between points: direct for all pairs, at most 100,000 points; "
         "hierarchical between groups as single points; fmm between groups by expansions of "
         "the fast multipole method"},
        {"expansions", &RadiosityConfig::expansions,
         "in mode fmm: Chebyshev interpolation, or series of solid harmonics", kAdvanced},
        {"error", &RadiosityConfig::error, 0.0001f, 0.5f, "",
         "in modes hierarchical and fmm: tolerated error of the transport, relative to that "
         "of all pairs"},
        {"bounces", &RadiosityConfig::bounces, 0, 64, "bounces",
         "largest number of diffuse bounces between points; fewer where little light remains"},
        {"caustic-photons", &RadiosityConfig::caustic_photons, 0, 1 << 24, "photons",
         "photons per sample for caustics on surfaces; none are traced after the first "
         "samples find no caustics; off (0): none"},
        {"view", &RadiosityConfig::view,
         "the picture; or the radiosity of each point, on the cell of its nearest surface or "
         "on a disc of its area"},
        {"point-light", &RadiosityConfig::point_light,
         "in views cells and discs: exitant radiosity; irradiance as a white surface would "
         "reflect it; or in purple the points that a chosen one (cyan) sees, as the transport "
         "between points has it or by a test of each"},
        {"seen-from-x", &RadiosityConfig::seen_from_x, -kFarthest, kFarthest, "m",
         "with point-light seen: position a little in front of the surface, whose nearest point is "
         "the chosen one",
         kAdvanced},
        {"seen-from-y", &RadiosityConfig::seen_from_y, -kFarthest, kFarthest, "m",
         "y of that position", kAdvanced},
        {"seen-from-z", &RadiosityConfig::seen_from_z, -kFarthest, kFarthest, "m",
         "z of that position", kAdvanced},
        {"visibility", &RadiosityConfig::visibility,
         "visibility test between points: rays through the scene, discs of the points in "
         "between, or none",
         kAdvanced},
        {"link-rays", &RadiosityConfig::link_rays, 1, 1024, "rays",
         "in modes hierarchical and fmm: visibility rays between two groups", kAdvanced},
        {"link-search", &RadiosityConfig::link_search,
         "in modes hierarchical and fmm: visibility of links by rays between groups, from the "
         "largest down, or between all pairs of at most 8192 leaves, looked up by the groups above",
         kAdvanced},
        {"link-threads", &RadiosityConfig::link_threads,
         "in modes hierarchical and fmm: one thread per pair of groups, several per pair, one per "
         "group, or several per group, for the visibility of links (Goradia 2008, section 6.4)",
         kAdvanced},
        {"link-memory", &RadiosityConfig::link_memory,
         "in modes hierarchical and fmm with visibility rays: cache the visibility of links "
         "and test only those beside moved objects; the picture is the same, off saves memory",
         kAdvanced},
        {"check-points", &RadiosityConfig::check_points, 0, 100'000, "points",
         "points at which the first bounce is also summed over all pairs with visibility "
         "tests, to report the error; off (0): none",
         kAdvanced},
        {"light-samples", &RadiosityConfig::light_samples, 1, 1 << 14, "rays",
         "shadow rays to lights from each point", kAdvanced},
        path_depth_setting<RadiosityConfig>(),
        smooth_terminator_setting<RadiosityConfig>(),
        texture_filter_setting<RadiosityConfig>(),
    };
    static const SettingsOf<RadiosityConfig> with_octree =
        SettingsOf<RadiosityConfig>(all).with(&RadiosityConfig::octree, settings_of_octree());
    return with_octree;
}

}  // namespace tl
