// Vertex colours of files, converted to those of scenes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Converts colours of OBJ, PLY and the formats of assimp to linear ones, in the same array. They
/// are sRGB in [0, 1] or, where one of all numbers is above 2, in [0, 255]. NaN becomes 0.
void decode_vertex_colors(std::span<vec3> colors);

/// Components in [0, 1] of 0xRRGGBB; higher bits (alpha, a mask) are ignored.
[[nodiscard]] vec3 unpacked_color(std::uint32_t packed);

/// Index of the white material of surfaces whose only colours are those of their vertices. It is
/// appended to the scene unless the scene's last material is it.
[[nodiscard]] std::int32_t vertex_color_material(Scene& scene);

}  // namespace tl
