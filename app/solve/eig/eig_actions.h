// User actions on batches of eigenvalue problems, for keys, menus and the panel. None throws.
#pragma once

#include "app/solve/eig/eig_view.h"

namespace tl {

/// Solves the batch chosen in the panel; shows a message if one is already being solved.
void start_eig(ViewerModel& model);
/// Solves the batch chosen in the panel, or cancels the run in progress.
void toggle_eig(ViewerModel& model);

/// The history as a table, a row for each run.
[[nodiscard]] std::string history_csv(const EigView& view);
/// The same as JSON, with the histogram of sweeps.
[[nodiscard]] std::string history_json(const EigView& view);

}  // namespace tl
