#include "renderer/photon/photon_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

const SettingsOf<PhotonConfig>& PhotonConfig::declared_settings() {
    static const SettingsOf<PhotonConfig> all{
        {"mode", &PhotonConfig::mode,
         "how photons become a picture: progressive gathers them around every place, within a "
         "radius that shrinks from sample to sample; sppm within one of each pixel's own, which "
         "shrinks with the photons that it finds; vcm connects and merges paths from both ends, "
         "each weighed by how good it is; thesis gathers rays at few places and interpolates "
         "between them"},
        {"photons", &PhotonConfig::photons, 1, kMostPhotons, "photons",
         "photons that leave the lights for every sample of the picture"},
        {"radius", &PhotonConfig::radius, 0.0f, 1e6f, "m",
         "radius within which photons count, in the first sample; 0: wide enough to hold about "
         "thirty of them"},
        {"caustic-radius", &PhotonConfig::caustic_radius, 0.0f, 1.0f, "",
         "radius for photons that only mirrors and glass have turned, as a share of the other one; "
         "0: by how close together they lie, half of it at most, and half in modes vcm and thesis",
         kAdvanced},
        {"alpha", &PhotonConfig::alpha, 0.1f, 1.0f, "",
         "how fast the radius shrinks from sample to sample: its square as (samples)^(alpha - 1); "
         "1: not at all, which leaves the picture blurred",
         kAdvanced},
        path_depth_setting<PhotonConfig>(),
        {"guide", &PhotonConfig::guide,
         "where few photons arrive, such as at a glass on a table, most are sent the ways of those "
         "that did; the picture stays right"},
        {"cull", &PhotonConfig::cull,
         "in modes progressive and sppm, from the second sample of a picture on: photons that no "
         "pixel can use are not sorted into the grid, for which paths from the camera are followed "
         "once more; the picture stays the same; worth it where photons are many and pixels few; "
         "not with contrast-samples",
         kAdvanced},
        {"footprints", &PhotonConfig::footprints,
         "in mode progressive: light of a point or of one direction that mirrors and glass have "
         "turned is spread as far as the photons beside it arrive, which shows sharp caustics with "
         "little noise; not with edges or a caustic-radius",
         kAdvanced},
        {"edges", &PhotonConfig::edges,
         "in mode progressive: where a surface ends within the radius, or a wall stands on it, "
         "photons count as if it went on, and those behind the wall do not; takes three short rays "
         "a gather",
         kAdvanced},
        {"contrast-samples", &PhotonConfig::contrast_samples, 0, 64, "samples",
         "in mode progressive: so many more camera samples of each pass at pixels whose neighbours "
         "differ much, such as at outlines and edges of shadows, and a quarter of them where these "
         "differ less; makes them smooth in few passes",
         kAdvanced},
        {"vcm-techniques", &PhotonConfig::vcm_techniques,
         "in mode vcm: what is done besides following paths from the camera to the lights: "
         "nothing, connecting light paths to the camera or to all vertices, or merging them within "
         "the radius; the picture tends to the same",
         kAdvanced},
        {"thesis-seeds", &PhotonConfig::thesis_seeds, 1, 1 << 16, "places",
         "in mode thesis: places where rays gather indirect light, which is interpolated between "
         "them",
         kAdvanced},
        {"thesis-gather-rays", &PhotonConfig::thesis_gather_rays, 1, 1024, "rays",
         "in mode thesis: rays that gather light at each of these places", kAdvanced},
        {"thesis-neighbors", &PhotonConfig::thesis_neighbors, 2, 128, "photons",
         "in mode thesis: nearest photons, which tell how much light arrives at a place",
         kAdvanced},
        {"thesis-search", &PhotonConfig::thesis_search,
         "in mode thesis: how the nearest photons are found: exactly, or about as many by "
         "histograms of their distances",
         kAdvanced},
        smooth_terminator_setting<PhotonConfig>(),
        texture_filter_setting<PhotonConfig>(),
        {"show", &PhotonConfig::show,
         "the picture, or a part of it: direct light, what is seen by way of mirrors and glass, "
         "light that these throw, all other indirect light; or in false colours, where pixels look "
         "photons up: photons per square metre, the radius within which they count, or the "
         "picture's estimated relative error"},
        {"show-top", &PhotonConfig::show_top, 0.0f, 1e12f, "",
         "value that gets the last of the false colours; 0: the value that one pixel in 200 "
         "exceeds",
         kAdvanced},
        {"estimate-error", &PhotonConfig::estimate_error,
         "estimate the error of each pixel, noise and bias, also while the picture is shown; "
         "adaptive sampling does so in any case",
         kAdvanced},
    };
    return all;
}

}  // namespace tl
