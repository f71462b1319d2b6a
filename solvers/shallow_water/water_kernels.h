// Drops, and sums over the grid.
#pragma once

#include "accel/parallel/array.h"
#include "solvers/shallow_water/water.h"

namespace tl {

/// A hump of water: height times exp(-(distance / radius)^2).
struct WaterDrop {
    double x = 0, y = 0, height = 0, radius = 1;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Adds the drop to the level z of all cells.
    void add_drop(Stream& stream, const WaterFields& fields, const WaterDrop& drop, double* z);
    // One element of `rows` for each row of cells.
    void sum_rows(Stream& stream, const WaterFields& fields, double gravity, double lowest_bed,
                  View<WaterTotals> rows);
)
// clang-format on
