#include "renderer/photon/photon_config.h"

#include "renderer/paths/path_settings.h"
#include "renderer/shading/surface_settings.h"

namespace tl {

Settings PhotonConfig::settings() {
    return {
        {"photons", photons, 1, kMostPhotons, "photons",
         "photons that leave the lights for every sample of the picture"},
        {"radius", radius, 0.0f, 1e6f, "m",
         "within which photons count, in the first sample; 0: as wide as holds about thirty of "
         "them"},
        {"caustic-radius", caustic_radius, 0.01f, 1.0f, "",
         "the same for photons that only mirrors and glass have turned, as a share of it"},
        {"alpha", alpha, 0.1f, 1.0f, "",
         "how fast the radius shrinks from sample to sample: its square as (samples)^(alpha - 1); "
         "1: "
         "not at all, which leaves the picture blurred"},
        path_depth_setting(max_depth),
        {"guide", guide,
         "where few photons arrive, such as at a glass on a table, most are sent the ways of those "
         "that did; the picture stays right"},
        {"edges", edges,
         "where a surface ends within the radius, or a wall stands on it, photons count as if it "
         "went on, and those behind the wall do not; takes three short rays a gather"},
        smooth_terminator_setting(smooth_terminator),
        texture_filter_setting(texture_filter),
    };
}

}  // namespace tl
