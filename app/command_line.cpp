#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "accel/parallel/error.h"
#include "app/program.h"
#include "app/version.h"

namespace tl {
namespace {

/// Names a mistyped command or flag; CLI11 would only report that a command is missing.
void check_command(const CLI::App& program, const std::string& name) {
    if (name == "-h" || name == "--help" || name == "--version") return;
    if (name.starts_with('-')) throw UsageError("unknown flag " + name + " before a command");
    std::string known;
    for (auto* command : program.get_subcommands({})) {
        if (command->get_name() == name) return;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    throw UsageError("unknown command '" + name + "'; known: " + known);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App program{"Treelight: an interactive renderer whose trees are rebuilt every frame",
                     "treelight"};
    program.set_version_flag("--version", version_text());
    program.require_subcommand(1);
    program.fallthrough(false);
    program.get_formatter()->column_width(36);
    add_commands(program);
    try {
        if (argc > 1) check_command(program, argv[1]);
        program.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        return program.exit(help);
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "treelight: %s (try --help)\n", error.what());
        return 2;
    } catch (const UsageError& error) {
        std::fprintf(stderr, "treelight: %s (try --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "treelight: %s\n", message_of(error).c_str());
        return 1;
    }
}

}  // namespace tl
