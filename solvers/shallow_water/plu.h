// Half a step of the alternating-direction scheme whose tridiagonal systems are solved as dense
// matrices, by PLU factorisation, as Brodtkorb 2007 does in chapter 5.
#pragma once

#include "solvers/shallow_water/water_lines.h"

namespace tl {

inline constexpr int kMostPluCells = 512;  ///< most cells of a row or a column

/// Like adi_half_step, for lines of up to kMostPluCells. Waits for the stream for each line.
/// `single`: factorises floats.
void plu_half_step(Stream& stream, const WaterLines& lines, double* z_new, double* w_new,
                   bool single);

}  // namespace tl
