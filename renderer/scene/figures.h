// Figures of one skin that several generators show. They stand on y = 0, a metre or so high.
#pragma once

#include "renderer/scene/implicit_surface.h"

namespace tl {

struct DragonColors {
    std::int32_t skin, belly, horn, eye;
};

/// Appends the materials of a green dragon.
[[nodiscard]] DragonColors add_dragon_colors(Scene& scene);

/// A serpentine dragon with spikes, horns and claws, along x, its head at the left.
[[nodiscard]] ImplicitSurface dragon_figure(const DragonColors& colors);

}  // namespace tl
