// Colours for numbers, from almost black over blue, magenta and orange to pale yellow.
#pragma once

#include <array>

#include "accel/parallel/math.h"

namespace tl {

/// Linear sRGB, for values from 0 to the top of the scale. Equal steps look equally large: OKLab
/// lightness (Ottosson 2020) is linear in the value, so that the map reads the same in grey.
[[nodiscard]] const std::array<vec3, 256>& heat_colors();
/// The same colour as the display shows it, each channel from 0 to 1; `t` from 0 to 1.
[[nodiscard]] vec3 heat_color_srgb(float t);

}  // namespace tl
