// The row of dense algebra in the table of solvers, and its commands and panel.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow dense_row();

/// Adds `solve lu`, `solve rref`, `solve solve`, `solve inverse`, `solve lstsq`, `solve pinv` and
/// `solve matmul`.
void add_solve_dense_commands(CLI::App& solve);
/// Adds `bench lu`, `bench rref`, `bench solve`, `bench lstsq` and `bench matmul`.
void add_bench_dense_commands(CLI::App& bench);
void draw_dense_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> dense_widgets();
[[nodiscard]] std::vector<ViewerCommand> dense_commands();

}  // namespace tl
