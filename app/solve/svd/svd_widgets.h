// Parts of the panel of decompositions: spectrum, stages, history.
#pragma once

#include <vector>

#include "app/solve/svd/svd_runner.h"

namespace tl {

/// Singular values over their number, on a logarithmic axis from the largest down.
void draw_spectrum(const std::vector<double>& values);
/// A bar for each stage, as long as its share of the whole.
void draw_stage_bars(const std::vector<StageTime>& stages);
/// The newest first, in the columns of Lahabar 2010, tables 3.1 to 3.3.
void draw_svd_history(const std::vector<SvdOutcome>& history);

}  // namespace tl
