// Colours that files give their vertices, as scenes have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Makes linear colours, in place, of those that OBJ, PLY and the formats of assimp give: sRGB as
/// parts of 1, or, where one of all numbers is above 2, as parts of 255. What is no number is 0.
void decode_vertex_colors(std::span<vec3> colors);

/// The parts of 1 of 0xRRGGBB; what stands before them (alpha, a mask) is passed over.
[[nodiscard]] vec3 unpacked_color(std::uint32_t packed);

/// The index of the white material of surfaces whose only colours are those of their vertices;
/// appended to the scene unless its last one is it.
[[nodiscard]] std::int32_t vertex_color_material(Scene& scene);

}  // namespace tl
