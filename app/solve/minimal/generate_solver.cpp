// `treelight generate-solver`: a solver of polynomial systems as C++, from the text of one.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/output.h"
#include "app/solve/solver_table.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "solvers/minimal/solver_writer.h"

namespace tl {
namespace {

struct GenerateOptions {
    std::string system, action, output;
};

minimal::EliminationTemplate template_of(const minimal::PolynomialSystem& system,
                                         const std::string& file) {
    try {
        return minimal::find_template(system);
    } catch (const UserError& error) {
        throw UserError(file + ": " + error.what());
    }
}

void generate_solver(const GenerateOptions& o) {
    if (o.system.empty())
        throw UsageError("generate-solver needs a system: treelight generate-solver FILE.txt");
    if (!o.output.empty()) require_writable(o.output);
    auto system = minimal::read_system(read_text_file(o.system), o.system, o.action);
    auto found = template_of(system, o.system);
    print("%s\n%s", system.name.c_str(), minimal::template_summary(system, found).c_str());
    if (auto doubt = minimal::multiplicity_warning(found); !doubt.empty())
        print_warning(o.system + ": " + doubt);
    if (o.output.empty()) return;
    write_file(o.output, minimal::solver_text(system, found));
    print("%s: struct %s\n", o.output.c_str(), minimal::solver_name(system).c_str());
}

}  // namespace

void add_generate_solver_command(CLI::App& program) {
    auto options = std::make_shared<GenerateOptions>();
    auto* command = program.add_subcommand(
        "generate-solver", "Write a solver of a system of polynomial equations as C++");
    command
        ->add_option("system", options->system,
                     "the system: its unknowns, parameters and equations, as text")
        ->type_name("FILE");
    command
        ->add_option("--action", options->action,
                     "action variable, in place of the system's: a sum of unknowns times whole "
                     "numbers, such as 'x + 2*y'")
        ->type_name("SUM");
    add_value(*command, "-o,--output", options->output, "FILE",
              "the C++ header to be written; without it the template is only described");
    command->callback([options] { generate_solver(*options); });
}

}  // namespace tl
