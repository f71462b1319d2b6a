// Limits flows so that cells that fall dry give at most their water.
#pragma once

#include "solvers/shallow_water/water_lines.h"

// clang-format off
TL_FOR_DEVICES(
    // Called after half a step along `lines`, whose fields are those before it. Flows along the
    // lines that took more from a cell than its water are reduced, and with them the inflow of the
    // next cell. With `next`, the flows of the new velocities over the new level are reduced as
    // well, which the next half step uses unchanged. `scratch`: as large as the level.
    void keep_depths(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                     double* scratch, bool next = true);
)
// clang-format on
