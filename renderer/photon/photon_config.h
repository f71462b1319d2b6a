// The settings of the photon mapper.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

struct PhotonConfig {
    static constexpr int kMostPhotons = 1 << 24;

    int photons = 250'000;
    float radius = 0;
    float caustic_radius = 0.5f;
    float alpha = 2.0f / 3;
    int max_depth = 12;
    bool guide = true;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
