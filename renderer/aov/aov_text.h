// Auxiliary pictures described in words, for the legend.
#pragma once

#include <string>
#include <vector>

#include "core/base/math.h"
#include "renderer/aov/aov_channels.h"

namespace tl {

/// The meaning of the colours, "red x, green y, blue z from -1 to 1"; "" for a ramp. `bottom`,
/// `top`: the range, for channels whose colours are scaled to the picture.
[[nodiscard]] std::string key_of_colors(AovChannel channel, vec3 bottom, vec3 top);
/// A pixel's value: "(0.6, 0.8, 0)", "3 (red)", "none". Materials are named if they have a name.
[[nodiscard]] std::string text_of_value(AovChannel channel, vec3 value,
                                        const std::vector<std::string>& material_names);

}  // namespace tl
