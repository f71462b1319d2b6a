// The settings of the renderer `radiosity`.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How the light that points send to each other is added up.
enum class RadiosityMode : int {
    direct,  ///< for all pairs of points
};

/// How it is found out which points see each other.
enum class PointVisibility : int {
    rays,    ///< by rays through the scene's tree
    points,  ///< by the discs of the points themselves
    none,    ///< nothing is in the way
};

struct RadiosityConfig {
    static constexpr int kMostPoints = 1 << 24;

    int points = 3000;
    RadiosityMode mode = RadiosityMode::direct;
    PointVisibility visibility = PointVisibility::rays;
    int bounces = 8;
    int light_samples = 64;
    int max_depth = 12;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
