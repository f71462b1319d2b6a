// Cells that fall dry give no more than their water.
#pragma once

#include "solvers/shallow_water/water_lines.h"

// clang-format off
TL_FOR_DEVICES(
    // To follow half a step along `lines`, whose fields are those before it: flows along the lines
    // that took more from a cell than its water become smaller, and with them what they brought to
    // the next cell. With `next`, so do those of the new velocities over the new level, which the
    // next half step takes as they are. `scratch`: as large as the level.
    void keep_depths(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                     double* scratch, bool next = true);
)
// clang-format on
