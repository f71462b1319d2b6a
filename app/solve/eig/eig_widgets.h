// Widgets of the eigenvalues' section: histogram of sweeps, complex plane, history.
#pragma once

#include <span>
#include <vector>

#include "app/solve/eig/eig_job.h"

namespace tl {

/// Draws the histogram of matrices by their number of QR sweeps; the cursor reads the bars.
void draw_sweeps(const std::vector<std::size_t>& histogram);
/// Draws eigenvalues (real and imaginary parts interleaved, all finite) in the complex plane with
/// its axes and the unit circle; the cursor reads the nearest one.
void draw_complex_plane(std::span<const double> values);
/// Draws a table of the outcomes, the newest first.
void draw_eig_history(const std::vector<EigOutcome>& history);

}  // namespace tl
