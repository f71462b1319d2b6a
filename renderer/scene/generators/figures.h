// Closed-surface figures shared by several generators. They stand on y = 0, about a metre high.
#pragma once

#include "renderer/scene/generators/implicit_surface.h"

namespace tl {

struct DragonColors {
    std::int32_t skin, belly, horn, eye;
};

/// Appends the materials of a green dragon.
[[nodiscard]] DragonColors add_dragon_colors(Scene& scene);

/// A serpentine dragon with spikes, horns and claws, along x, its head at the left.
[[nodiscard]] ImplicitSurface dragon_figure(const DragonColors& colors);

/// Appends the ground below the dragon, and sun and sky.
void add_dragon_ground(Scene& scene);

struct BunnyColors {
    std::int32_t fur, white, pink, eye;
};
[[nodiscard]] BunnyColors add_bunny_colors(Scene& scene);

/// A sitting bunny that looks along z.
[[nodiscard]] ImplicitSurface bunny_figure(const BunnyColors& colors);

}  // namespace tl
