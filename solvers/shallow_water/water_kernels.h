// Drops, borders, and sums over the grid.
#pragma once

#include "core/device/array.h"
#include "solvers/shallow_water/water.h"
#include "solvers/shallow_water/water_lines.h"

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
    // Stops the velocities w along lines at both ends of all lines.
    void stop_at_ends(Stream& stream, const WaterLines& lines, double* w);
    // One element of `rows` for each row of cells.
    void sum_rows(Stream& stream, const WaterFields& fields, double gravity, double lowest_bed,
                  View<WaterTotals> rows);
)
// clang-format on
