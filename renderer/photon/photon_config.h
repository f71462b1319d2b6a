// The settings of the photon mapper.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How photons become a picture.
enum class PhotonMode : int {
    progressive,  ///< one radius for all, smaller from sample to sample
    sppm,         ///< a radius for each pixel, smaller with the photons that it finds
    vcm,          ///< photons and paths from both ends, each weighed by how good it is
    thesis,       ///< maps of one pass, final gather, irradiance interpolated between few places
};

struct PhotonConfig {
    static constexpr int kMostPhotons = 1 << 24;

    PhotonMode mode = PhotonMode::progressive;
    int photons = 250'000;
    float radius = 0;
    float caustic_radius = 0.5f;
    float alpha = 2.0f / 3;
    int max_depth = 12;
    bool guide = true;
    bool edges = false;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
