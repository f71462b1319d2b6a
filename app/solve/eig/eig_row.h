// The row of batched eigenvalue problems in the table of solvers, and its commands.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow eig_row();

void add_solve_eig_command(CLI::App& solve);
void add_bench_eig_command(CLI::App& bench);

}  // namespace tl
