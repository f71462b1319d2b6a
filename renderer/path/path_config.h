// The settings of the path tracer.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

struct PathConfig {
    static constexpr int kMaxDepth = 64;

    int max_depth = 12;
    int max_scattered = kMaxDepth;
    int roulette_from = 3;
    float biased_clamp = 0;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
