// The row of the queue of operations in the table of solvers.
#pragma once

#include "app/solve/solver_table.h"

namespace tl {

[[nodiscard]] SolverRow queue_row();

/// Adds `bench queue`.
void add_bench_queue_command(CLI::App& bench);

}  // namespace tl
