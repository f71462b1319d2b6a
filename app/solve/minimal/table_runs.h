// Shared by `solve system` and `bench system`: opening a system's solver, and the stages of a
// solve.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "solvers/minimal/table_route.h"

namespace tl {

/// Adds --mode.
void add_table_mode_option(CLI::App& command, std::string& mode);

/// The compiled solver of a system, which is described; `file` is its name in messages. Throws
/// UserError, and what `poll` throws.
[[nodiscard]] std::unique_ptr<minimal::TableSolver> open_table_solver(
    const minimal::PolynomialSystem& system, const std::string& file,
    const minimal::ProgressPoll& poll);

/// make_table_route(), with a warning where a problem keeps `auto` from a GPU's kernel.
[[nodiscard]] minimal::ChosenRoute open_table_route(const minimal::PolynomialSystem& system,
                                                    const minimal::TableSolver& solver,
                                                    Device& device, const std::string& mode,
                                                    std::size_t count,
                                                    const minimal::ProgressPoll& poll);

/// Prints the seconds of each stage; stages of a device overlap with those of the CPU.
void print_stages(const std::vector<minimal::StageSeconds>& stages);
/// Seconds by the names of the stages.
[[nodiscard]] nlohmann::ordered_json stages_json(const std::vector<minimal::StageSeconds>& stages);

}  // namespace tl
