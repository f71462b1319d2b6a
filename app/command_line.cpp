#include "app/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "app/help.h"
#include "app/jobs/interrupt.h"
#include "app/jobs/output.h"
#include "app/jobs/rank_job.h"
#include "app/jobs/resident_memory.h"
#include "app/program.h"
#include "app/usage.h"
#include "app/version.h"
#include "core/base/console.h"
#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "core/ranks/ranks.h"

namespace tl {
namespace {

int wrong_usage(const std::string& text) {
    // The root of a job says it for all.
    if (find_launched_rank().rank > 0) return 2;
    print_error(text + " (try --help)");
    return 2;
}

/// A fault of the user, or one that a limit on memory may have caused.
std::string failure_in_words(const std::exception& error) {
    auto text = message_of(error);
    if (dynamic_cast<const UserError*>(&error)) return text;
    auto limit = host_memory().limit;
    return limit.empty() ? text : text + " (" + limit + ")";
}

std::terminate_handler terminate_otherwise = nullptr;

/// Ends the program in words where memory ran out and no exception may pass, as in destructors of
/// JSON values, which allocate.
void end_out_of_memory() {
    try {
        if (auto error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        constexpr char kWords[] = "treelight: out of memory; raise its limit (ulimit -v)\n";
        if (write(STDERR_FILENO, kWords, sizeof kWords - 1) > 0) _exit(1);
    } catch (...) {
    }
    terminate_otherwise();
}

/// Parses the arguments and runs the command; returns the exit code.
int run_command(CLI::App& program, int argc, char** argv) {
    try {
        if (argc <= 1) {
            print("%s", short_usage(program).c_str());
            return 0;
        }
        check_commands(program, {argv + 1, argv + argc});
        program.parse(argc, argv);
        return 0;
    } catch (const CLI::Success& help) {
        return program.exit(help);
    } catch (const CLI::ParseError& error) {
        return wrong_usage(fault_in_words(program, error));
    } catch (const UsageError& error) {
        return wrong_usage(error.what());
    } catch (const ReportedByRoot&) {
        return 1;
    } catch (const std::exception& error) {
        print_error(failure_in_words(error));
        return 1;
    }
}

}  // namespace

int run_command_line(int argc, char** argv) {
    choose_gpu_of_rank();
    end_tidily_on_signals();
    terminate_otherwise = std::set_terminate(end_out_of_memory);
    return_freed_memory();
    CLI::App program{
        "Treelight: an interactive renderer whose trees are rebuilt every frame. `treelight help "
        "COMMAND` tells more.",
        "treelight"};
    program.require_subcommand(1);
    program.fallthrough(false);
    set_help_style(program);
    program.set_version_flag("--version", version_text(), "print the version");
    add_commands(program);
    name_command_groups(program);
    int code = run_command(program, argc, argv);
    try {
        finish_output();
    } catch (const UserError& error) {
        print_error(error.what());
        code = code == 0 ? 1 : code;
    }
    end_job(code != 0);
    return code;
}

}  // namespace tl
