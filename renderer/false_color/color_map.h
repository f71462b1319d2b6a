// A colour map for numbers, from almost black through blue, magenta and orange to pale yellow.
#pragma once

#include <array>

#include "core/base/math.h"

namespace tl {

/// The map in linear sRGB, from 0 to the top of the scale. It is perceptually uniform: OKLab
/// lightness (Ottosson 2020) is linear in the value, so that the map also works in greyscale.
[[nodiscard]] const std::array<vec3, 256>& heat_colors();
/// The map's colour at `t` (0 to 1) in display sRGB, each channel from 0 to 1.
[[nodiscard]] vec3 heat_color_srgb(float t);

}  // namespace tl
