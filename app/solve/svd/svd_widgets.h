// Widgets of the SVD panel: spectrum, stages, history.
#pragma once

#include <vector>

#include "app/solve/svd/svd_job.h"

namespace tl {

/// Plots singular values over their index, on a logarithmic axis below the largest value.
void draw_spectrum(const std::vector<double>& values);
/// Draws a bar for each stage; its length is the stage's fraction of the total time.
void draw_stage_bars(const std::vector<StageTime>& stages);
/// Draws the newest first, with the columns of Lahabar 2010, tables 3.1 to 3.3.
void draw_svd_history(const std::vector<SvdOutcome>& history);

}  // namespace tl
