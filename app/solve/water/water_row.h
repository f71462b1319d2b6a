// Shallow water in the table of solvers.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

/// `solve water`: moves water on and writes its fields.
void add_solve_water_command(CLI::App& solve);
/// `bench water`: what a step costs, by mode and size.
void add_bench_water_command(CLI::App& bench);

[[nodiscard]] SolverRow water_row();

}  // namespace tl
