#include "renderer/photon/photon_config.h"

#include "renderer/path/path_limits.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<PhotonConfig>& PhotonConfig::declared_settings() {
    static const SettingsOf<PhotonConfig> all{
        {"mode", &PhotonConfig::mode,
         "progressive: photon density estimates within a radius that shrinks from sample to "
         "sample; sppm: with a radius per pixel; vcm: bidirectional paths, connected and "
         "merged; thesis: final gather with an irradiance cache"},
        {"photons", &PhotonConfig::photons, 1, kMostPhotons, "photons",
         "photons emitted per sample of the picture"},
        {"radius", &PhotonConfig::radius, 0.0f, 1e6f, "m",
         "search radius of the first sample; auto (0): large enough for about thirty photons"},
        {"caustic-radius", &PhotonConfig::caustic_radius, 0.0f, 1.0f, "",
         "search radius of caustic photons, as a fraction of the radius; auto (0): by their "
         "density, "
         "at most half; half in modes vcm and thesis",
         kAdvanced},
        {"alpha", &PhotonConfig::alpha, 0.1f, 1.0f, "",
         "shrinking of the radius: its square is proportional to samples^(alpha - 1); 1: it "
         "stays, and the picture stays blurred",
         kAdvanced},
        path_depth_setting<PhotonConfig>(),
        {"guide", &PhotonConfig::guide,
         "guide photons toward visible caustics and other regions that few photons reach; the "
         "picture stays unbiased"},
        {"cull", &PhotonConfig::cull,
         "in modes progressive and sppm, from the second sample on: photons outside all "
         "pixels' search radii are not stored, which takes a second pass of camera paths; not "
         "with contrast-samples",
         kAdvanced},
        {"footprints", &PhotonConfig::footprints,
         "in mode progressive: caustics of point and directional lights use photon "
         "footprints, which are sharp and have little noise; not with edges or a "
         "caustic-radius",
         kAdvanced},
        {"edges", &PhotonConfig::edges,
         "in mode progressive: correct density estimates at boundaries of surfaces and beside "
         "walls; takes three short rays per estimate",
         kAdvanced},
        {"contrast-samples", &PhotonConfig::contrast_samples, 0, 64, "samples",
         "in mode progressive: additional camera samples per pass at pixels of high contrast, "
         "and a quarter of them at medium contrast; smooths edges in few passes",
         kAdvanced},
        {"vcm-techniques", &PhotonConfig::vcm_techniques,
         "in mode vcm: techniques besides camera paths: none, connections to the camera, "
         "connections of all vertices, or merging within the radius; all converge to the same "
         "picture",
         kAdvanced},
        {"thesis-seeds", &PhotonConfig::thesis_seeds, 1, 1 << 16, "places",
         "in mode thesis: shading points of the irradiance cache", kAdvanced},
        {"thesis-gather-rays", &PhotonConfig::thesis_gather_rays, 1, 1024, "rays",
         "in mode thesis: final gather rays at each of these points", kAdvanced},
        {"thesis-neighbors", &PhotonConfig::thesis_neighbors, 2, 128, "photons",
         "in mode thesis: nearest photons of an irradiance estimate", kAdvanced},
        {"thesis-search", &PhotonConfig::thesis_search,
         "in mode thesis: search for the nearest photons: exact, or approximate by histograms "
         "of distances; for caustics also by a structure over them, whose time and recall are "
         "shown: kd-tree, octree, windows of its curve, cells, or hash tables, which miss some",
         kAdvanced},
        smooth_terminator_setting<PhotonConfig>(),
        texture_filter_setting<PhotonConfig>(),
        {"show", &PhotonConfig::show,
         "the picture, or one component: direct light, light seen by way of mirrors and "
         "glass, caustics, other indirect light; or in false colours: photon density, search "
         "radius, or estimated relative error"},
        {"show-top", &PhotonConfig::show_top, 0.0f, 1e12f, "",
         "value that gets the last false colour; auto (0): the value that one pixel in 200 exceeds",
         kAdvanced},
        {"estimate-error", &PhotonConfig::estimate_error,
         "estimate noise and bias of each pixel while the picture is shown; adaptive sampling "
         "always does",
         kAdvanced},
    };
    return all;
}

}  // namespace tl
