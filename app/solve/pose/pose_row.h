// The row of poses in the table of solvers, with its commands and its section of the panel.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow pose_row();
void add_solve_pose_command(CLI::App& solve);
void add_bench_pose_command(CLI::App& bench);
void draw_pose_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> pose_widgets();
[[nodiscard]] std::vector<ViewerCommand> pose_commands();

}  // namespace tl
