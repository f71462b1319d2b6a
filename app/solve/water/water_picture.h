// Pictures of shallow water from above.
#pragma once

#include <vector>

#include "renderer/images/image_io.h"
#include "solvers/shallow_water/water.h"

namespace tl {

/// A pixel for each cell, the first row at the lower edge: water blue, darker where it is deep, and
/// land by its height; light comes from the upper left. `level`: of the water, as Basin::level.
[[nodiscard]] Image8 picture_of_water(const Basin& basin, const std::vector<double>& level);

}  // namespace tl
