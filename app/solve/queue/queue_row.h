// The row of the queue of operations in the table of solvers, and its commands and panel.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow queue_row();

/// Adds `bench queue`.
void add_bench_queue_command(CLI::App& bench);
void draw_queue_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> queue_widgets();
[[nodiscard]] std::vector<ViewerCommand> queue_commands();

}  // namespace tl
