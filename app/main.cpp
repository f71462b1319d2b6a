// The program `treelight`: viewer, offline renderer, benchmarks and solvers.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "accel/parallel/error.h"
#include "app/program.h"
#include "app/version.h"

namespace {

/// Names a mistyped command or flag; CLI11 would only report that a command is missing.
void check_command(const CLI::App& program, const std::string& name) {
    if (name == "-h" || name == "--help" || name == "--version") return;
    if (name.starts_with('-')) throw tl::UsageError("unknown flag " + name + " before a command");
    std::string known;
    for (auto* command : program.get_subcommands({})) {
        if (command->get_name() == name) return;
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    throw tl::UsageError("unknown command '" + name + "'; known: " + known);
}

}  // namespace

int main(int argc, char** argv) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        std::fputs("treelight: this processor lacks AVX2 or FMA, which the program is built for\n",
                   stderr);
        return 1;
    }
    CLI::App program{"Treelight: an interactive renderer whose trees are rebuilt every frame",
                     "treelight"};
    program.set_version_flag("--version", tl::version_text());
    program.require_subcommand(1);
    program.fallthrough(false);
    program.get_formatter()->column_width(36);
    tl::add_commands(program);
    try {
        if (argc > 1) check_command(program, argv[1]);
        program.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        return program.exit(help);
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "treelight: %s (try --help)\n", error.what());
        return 2;
    } catch (const tl::UsageError& error) {
        std::fprintf(stderr, "treelight: %s (try --help)\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "treelight: %s\n", tl::message_of(error).c_str());
        return 1;
    }
}
