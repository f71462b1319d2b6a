// Errors of pixels as a picture in false colours.
#pragma once

#include "renderer/images/metrics.h"

namespace tl {

/// The map in the colours of heat maps, 0 to `top`.
[[nodiscard]] Image8 error_picture(const ErrorMap& map, float top);
/// A top for errors without a natural one: what one pixel in a thousand exceeds.
[[nodiscard]] float usual_top(const ErrorMap& map);

}  // namespace tl
