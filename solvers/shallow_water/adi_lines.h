// Half a step of the alternating-direction scheme by whole lines, on a CPU.
#pragma once

#include "solvers/shallow_water/water_lines.h"

namespace tl::cpu {

/// Writes the new level and the new velocities along the lines, which are not periodic.
void step_by_lines(Stream& stream, const WaterLines& l, double* z_new, double* w_new);

}  // namespace tl::cpu
