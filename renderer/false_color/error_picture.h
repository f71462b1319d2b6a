// Per-pixel errors as a picture in false colours.
#pragma once

#include "renderer/images/metrics.h"

namespace tl {

/// The map in the colours of heat maps, 0 to `top`.
[[nodiscard]] Image8 error_picture(const ErrorMap& map, float top);
/// Top of the scale for errors without a natural one: the value exceeded by one pixel in a
/// thousand.
[[nodiscard]] float usual_top(const ErrorMap& map);

}  // namespace tl
