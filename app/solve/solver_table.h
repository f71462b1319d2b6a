// The table of solvers with their commands and their section of the viewer's panel. program.cpp
// iterates over its rows, so that no other code names a solver.
#pragma once

#include <optional>
#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

struct SolverRow {
    void (*add_solve)(CLI::App& solve) = nullptr;  ///< adds `solve ID`; null where there is none
    void (*add_bench)(CLI::App& bench) = nullptr;  ///< adds `bench ID`; null where there is none
    std::optional<PanelSection> section{};
};

[[nodiscard]] const std::vector<SolverRow>& solver_rows();

/// `generate-solver`, which writes solvers as C++.
void add_generate_solver_command(CLI::App& program);
/// `solve system`, which solves a polynomial system for a table of parameters.
void add_solve_system_command(CLI::App& solve);
/// `solve ransac`, which fits a model of such a system to measurements.
void add_solve_ransac_command(CLI::App& solve);
/// `bench system`, which measures its modes.
void add_bench_system_command(CLI::App& bench);

}  // namespace tl
