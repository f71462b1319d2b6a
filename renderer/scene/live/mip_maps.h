// Mip maps of textures (Williams 1983, "Pyramidal parametrics"), averaged in linear light.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "renderer/scene/live/scene_view.h"
#include "renderer/scene/scene.h"

namespace tl {

/// A texture's levels, one after the other, with the start of each in `texels`.
struct MipMap {
    std::vector<MipLevel> levels;
    std::vector<Texel> texels;
};

/// Builds the levels of a texture, each half as wide and high as the last (rounded down), to one
/// texel. A coarse texel is the mean of exactly its area, for odd sizes too (Guthe & Heckbert 2003,
/// "Non-power-of-two mipmapping"), so that every level keeps the image's mean. With `alpha_counts`,
/// colours are weighted by alpha, so that transparent texels do not bleed into opaque ones; else
/// alpha becomes 1. With `holds_normals`, 16-bit values of a linear texture, where 32,768 is 0, are
/// converted to those that normal_of_texel() takes, where 128 of 8 bits is 0.
[[nodiscard]] MipMap make_mip_map(const Texture& texture, bool alpha_counts,
                                  bool holds_normals = false);

/// Consumer of a mip map's texels, from index `first` on.
using TakeTexels = std::function<void(std::size_t first, std::span<const Texel> texels)>;
/// Builds the same levels, but passes on the texels in parts: needs memory for some rows only,
/// however large the texture is. Returns the levels.
std::vector<MipLevel> make_mip_map(const Texture& texture, bool alpha_counts, bool holds_normals,
                                   const TakeTexels& take);

/// Number of texels of all levels of a texture of that size.
[[nodiscard]] std::size_t mip_map_size(int width, int height);

}  // namespace tl
