// Mip maps of textures (Williams 1983, "Pyramidal parametrics"), averaged in linear light.
#pragma once

#include <vector>

#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

/// A texture's levels, one after the other, with where each starts among `texels`.
struct MipMap {
    std::vector<MipLevel> levels;
    std::vector<Texel> texels;
};

/// The levels of a texture, each of half the last one's width and height, rounded down, to a single
/// texel. A coarse texel is the mean of just what lies under it, also where sizes are odd (Guthe &
/// Heckbert 2003, "Non-power-of-two mipmapping"), so every level has the picture's mean. Where
/// `alpha_counts`, colours weigh by it, lest what is cut out bleeds into what is there; else alpha
/// becomes 1.
[[nodiscard]] MipMap make_mip_map(const Texture& texture, bool alpha_counts);

/// Texels of all levels of a texture of that size.
[[nodiscard]] std::size_t mip_map_size(int width, int height);

}  // namespace tl
