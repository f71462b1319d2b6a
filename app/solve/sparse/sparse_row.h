// The row of sparse systems in the table of solvers, with its commands and its section of the
// panel.
#pragma once

#include <string>

#include "app/solve/solver_table.h"
#include "app/solve/sparse/sparse_problem.h"

namespace tl {

[[nodiscard]] SolverRow sparse_row();

/// A sparse system with what a command line says about its results.
struct SolveSparseOptions {
    SparseTask task;
    std::string device = "auto", precision = "double", out, json;
};

/// Solves, prints a report, and writes PREFIX_X.npy and PREFIX.json, if requested. Throws UserError
/// where the iteration has failed, once all is written.
void solve_sparse(const SolveSparseOptions& options);

/// Whether `solve solve` takes a file for a sparse matrix: coordinates of 1000 rows or more, with
/// at most one entry in 50 elements.
[[nodiscard]] bool is_sparse_file(const std::string& path);

/// Adds `solve sparse`.
void add_solve_sparse_command(CLI::App& solve);
/// Adds `bench sparse`.
void add_bench_sparse_command(CLI::App& bench);
void draw_sparse_panel(ViewerModel& model);
/// Widgets of the section that the search finds one by one.
[[nodiscard]] std::vector<PanelWidget> sparse_widgets();
[[nodiscard]] std::vector<ViewerCommand> sparse_commands();

}  // namespace tl
