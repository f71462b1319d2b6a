// The row of singular value decompositions in the table of solvers, and its commands and panel.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow svd_row();

void add_solve_svd_command(CLI::App& solve);
/// Adds `bench svd` and `bench svd-errors`.
void add_bench_svd_command(CLI::App& bench);
void add_bench_svd_errors_command(CLI::App& bench);
void draw_svd_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> svd_widgets();
[[nodiscard]] std::vector<ViewerCommand> svd_commands();

}  // namespace tl
