// `treelight solve system`: real solutions of a polynomial system for a table of parameters.
#include <chrono>
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/minimal/table_runs.h"
#include "app/solve/solver_table.h"
#include "core/base/cancellation.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/number_table.h"
#include "solvers/minimal/table_route.h"

namespace tl {
namespace {

using Clock = std::chrono::steady_clock;

struct SolveSystemOptions {
    std::string system, action, instances, output, json;
    std::string device = "auto", mode = "auto";
};

struct SolutionTable {
    std::size_t n_solutions, n_unknowns;  ///< of an instance, at most; of a solution
    std::vector<double> solutions;
    std::vector<int> counts;
};

bool is_array(const std::string& path) {
    return lower_case(path).ends_with(".npy");
}

/// An array (instances, solutions, unknowns), filled up with NaN; or text with a solution a line.
void write_solutions(const std::string& path, const minimal::PolynomialSystem& system,
                     const SolutionTable& table) {
    FileWriter file(path);
    if (is_array(path)) {
        const std::size_t shape[] = {table.counts.size(), table.n_solutions, table.n_unknowns};
        write_npy_header(file, "<f8", shape);
        auto bytes = std::as_bytes(std::span(table.solutions));
        file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } else {
        std::string text = "instance";
        for (auto& unknown : system.unknowns) text += "," + unknown;
        text += '\n';
        for (std::size_t i = 0; i < table.counts.size(); ++i) {
            const double* u = &table.solutions[i * table.n_solutions * table.n_unknowns];
            for (int k = 0; k < table.counts[i]; ++k) {
                text += std::to_string(i);
                for (std::size_t j = 0; j < table.n_unknowns; ++j) text += "," + number_text(*u++);
                text += '\n';
            }
            if (text.size() > 1 << 20) {
                file.write(text);
                text.clear();
            }
        }
        file.write(text);
    }
    file.finish();
}

/// The parameters that a row of the table has: "a, A[3][3]".
std::string parameters_text(const minimal::PolynomialSystem& system) {
    std::string text;
    for (auto& p : system.parameters) {
        text += (text.empty() ? "" : ", ") + p.name;
        if (p.rows * p.columns > 1 || p.columns > 1) text += "[" + std::to_string(p.rows) + "]";
        if (p.columns > 1) text += "[" + std::to_string(p.columns) + "]";
    }
    return text;
}

std::vector<double> read_instances(const SolveSystemOptions& o,
                                   const minimal::PolynomialSystem& system) {
    if (system.n_parameters == 0) {
        if (!o.instances.empty())
            throw UsageError("--instances: the system has no parameters; leave it out");
        return {};
    }
    if (o.instances.empty())
        throw UsageError("solve system needs --instances FILE, with rows of " +
                         std::to_string(system.n_parameters) +
                         " parameters: " + parameters_text(system));
    return read_number_table(o.instances, static_cast<std::size_t>(system.n_parameters),
                             "instances of this system (" + parameters_text(system) + ")");
}

long n_solutions_of(const SolutionTable& table) {
    return std::accumulate(table.counts.begin(), table.counts.end(), 0L);
}

void print_solution_counts(const SolutionTable& table) {
    std::vector<std::size_t> n_with(table.n_solutions + 1);
    for (int count : table.counts) ++n_with[static_cast<std::size_t>(count)];
    for (std::size_t k = 0; k < n_with.size(); ++k)
        if (n_with[k] > 0)
            print("%10zu with %zu real solution%s\n", n_with[k], k, k == 1 ? "" : "s");
}

/// Throws what `poll` throws.
void solve_table(const SolveSystemOptions& o, const minimal::ProgressPoll& poll) {
    begin_report(o.json);
    auto& device = find_device(o.device);
    minimal::check_table_mode(device, o.mode);
    auto system = minimal::read_system(read_text_file(o.system), o.system, o.action);
    if (!o.output.empty()) require_writable(o.output);
    auto parameters = read_instances(o, system);
    auto solver = open_table_solver(system, o.system, poll);
    std::size_t n_instances =
        system.n_parameters == 0
            ? 1
            : parameters.size() / static_cast<std::size_t>(system.n_parameters);
    auto chosen = open_table_route(system, *solver, device, o.mode, n_instances, poll);
    SolutionTable table{static_cast<std::size_t>(solver->n_solutions()),
                        static_cast<std::size_t>(solver->n_unknowns()),
                        {},
                        {}};
    table.counts.resize(n_instances);
    table.solutions.resize(n_instances * table.n_solutions * table.n_unknowns);
    auto begin = Clock::now();
    chosen.route->solve(parameters, table.solutions, table.counts, poll);
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    print("%zu instance%s in %.4g s by %s on %s\n", n_instances, n_instances == 1 ? "" : "s",
          seconds, chosen.mode.c_str(), device.name().c_str());
    print_stages(chosen.route->stages());
    print_solution_counts(table);
    if (!o.output.empty()) write_solutions(o.output, system, table);
    if (o.json.empty()) return;
    write_json(o.json, {{"schema", 1},
                        {"kind", "system"},
                        {"machine", machine_report()},
                        {"device", device.name()},
                        {"system", system.name},
                        {"mode", chosen.mode},
                        {"instances", n_instances},
                        {"solutions", n_solutions_of(table)},
                        {"seconds", seconds},
                        {"stages", stages_json(chosen.route->stages())}});
}

void solve_system(const SolveSystemOptions& o) {
    InterruptFlag interrupt;
    try {
        solve_table(o, [&](double) {
            if (interrupt.is_set()) throw Cancelled();
        });
    } catch (const Cancelled&) {
        throw UserError("stopped by " + interrupt.cause() + "; nothing is written");
    }
}

}  // namespace

void add_solve_system_command(CLI::App& solve) {
    auto o = std::make_shared<SolveSystemOptions>();
    auto* command = solve.add_subcommand(
        "system", "Real solutions of a system of polynomial equations for many parameters");
    command
        ->add_option("SYSTEM", o->system,
                     "the system: its unknowns, parameters and equations, as text")
        ->required();
    command
        ->add_option("--instances", o->instances,
                     "parameters of each instance, in the system's order, matrices row by row: "
                     ".npy of shape (instances, parameters), or lines of numbers")
        ->type_name("FILE");
    command
        ->add_option("-o,--out", o->output,
                     "solutions to write: .npy of shape (instances, solutions, unknowns) filled up "
                     "with NaN, or text of lines instance,unknowns")
        ->type_name("FILE");
    command
        ->add_option("--action", o->action,
                     "action variable, in place of the system's: a sum of unknowns times whole "
                     "numbers, such as 'x + 2*y'")
        ->type_name("SUM");
    add_device_option(*command, o->device);
    add_table_mode_option(*command, o->mode);
    add_json_option(*command, o->json);
    command->callback([o] { solve_system(*o); });
}

}  // namespace tl
