#include "app/solve/minimal/table_runs.h"

#include <nlohmann/json.hpp>

#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/output.h"
#include "app/jobs/text_table.h"
#include "core/base/console.h"
#include "core/base/error.h"

namespace tl {

void add_table_mode_option(CLI::App& command, std::string& mode) {
    std::string help = "how instances are divided between the processors";
    for (auto& row : minimal::table_modes()) help += "; " + row.id + ": " + row.help;
    add_value(command, "--mode", mode, "ID", help);
}

std::unique_ptr<minimal::TableSolver> open_table_solver(const minimal::PolynomialSystem& system,
                                                        const std::string& file,
                                                        const minimal::ProgressPoll& poll) {
    std::unique_ptr<minimal::TableSolver> solver;
    try {
        solver = std::make_unique<minimal::TableSolver>(system, poll);
    } catch (const UserError& error) {
        throw UserError(file + ": " + error.what());
    }
    if (auto doubt = solver->multiple(); !doubt.empty()) print_warning(file + ": " + doubt);
    print("%s\n%s", system.name.c_str(), solver->summary().c_str());
    print("%s %s\n", solver->is_new() ? "compiled" : "compiled before:", solver->path().c_str());
    return solver;
}

minimal::ChosenRoute open_table_route(const minimal::PolynomialSystem& system,
                                      const minimal::TableSolver& solver, Device& device,
                                      const std::string& mode, std::size_t count,
                                      const minimal::ProgressPoll& poll) {
    auto chosen = minimal::make_table_route(system, solver, device, mode, count, poll);
    if (!chosen.reason.empty())
        print_warning("mode " + chosen.mode + " instead of kernel: " + chosen.reason);
    return chosen;
}

void print_stages(const std::vector<minimal::StageSeconds>& stages) {
    if (stages.size() < 2) return;
    for (auto& stage : stages) print_entry(stage.name, three_digits(1000 * stage.seconds) + " ms");
}

nlohmann::ordered_json stages_json(const std::vector<minimal::StageSeconds>& stages) {
    auto json = nlohmann::ordered_json::object();
    for (auto& stage : stages) json[stage.name] = stage.seconds;
    return json;
}

}  // namespace tl
