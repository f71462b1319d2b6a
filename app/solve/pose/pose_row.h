// The row of poses in the table of solvers.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow pose_row();
void add_solve_pose_command(CLI::App& solve);
void add_bench_pose_command(CLI::App& bench);

}  // namespace tl
