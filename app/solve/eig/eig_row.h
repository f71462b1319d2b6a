// The row of batched eigenvalue problems in the table of solvers, with its commands and its section
// of the panel.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow eig_row();

void add_solve_eig_command(CLI::App& solve);
void add_bench_eig_command(CLI::App& bench);
void draw_eig_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> eig_widgets();
[[nodiscard]] std::vector<ViewerCommand> eig_commands();

}  // namespace tl
