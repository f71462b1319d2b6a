#include "renderer/photon/photon_config.h"

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
        {"max-depth", max_depth, 0, PathLimits::kMaxDepth, "bounces",
         "most surfaces that scatter light on its way from a source to the camera: 0 shows only "
         "sources, 1 direct light too"},
        {"smooth-terminator", smooth_terminator,
         "triangles with smooth normals cast no shadow steps on themselves"},
        {"texture-filter",
         texture_filter,
         {"nearest", "bilinear", "mip"},
         "one texel; between four; between mip maps as coarse as what a pixel sees"},
    };
}

}  // namespace tl
