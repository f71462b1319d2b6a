// Pictures of shallow water from above.
#pragma once

#include <vector>

#include "renderer/images/image_io.h"
#include "solvers/shallow_water/water.h"

namespace tl {

/// Arrows that show velocities in pictures.
struct WaterArrows {
    int spacing = 0;  ///< cells from arrow to arrow, along rows and columns; 0: no arrows
};

/// A pixel for each cell, the first row at the lower edge: water blue, darker where it is deep, and
/// land by its height; light comes from the upper left. Arrows show the velocities in the middle of
/// wet cells: the fastest is as long as their spacing, and cells become squares of several pixels
/// so that it has 12, but the picture's longer side at most 8192.
[[nodiscard]] Image8 picture_of_water(const Basin& basin, const Water::Host& fields,
                                      WaterArrows arrows = {});

}  // namespace tl
