#include "app/shell_commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/command_words.h"
#include "app/commands/commands.h"
#include "app/completion.h"
#include "app/help.h"
#include "app/jobs/output.h"
#include "app/manual.h"
#include "app/usage.h"
#include "app/version.h"

namespace tl {
namespace {

/// The command of these words. Throws UsageError for unknown ones.
const CLI::App& command_of(const CLI::App& program, const std::vector<std::string>& words) {
    const CLI::App* command = &program;
    for (auto& word : words) command = &command_below(*command, word);
    return *command;
}

void add_help_command(CLI::App& program) {
    struct Options {
        std::vector<std::string> words;
        bool all = false;
    };
    auto o = std::make_shared<Options>();
    auto* help = program.add_subcommand("help", "Print the help of a command");
    auto* words = help->add_option("command", o->words,
                                   "the command, and the one below it, such as bench frame");
    words->type_name("COMMAND");
    std::set<std::string> names;
    for (auto& command : command_words(program))
        if (!command.path.empty()) names.insert(command.name);
    offer_words(*words, {names.begin(), names.end()});
    help->add_flag("--all", o->all, "also list rare flags and all settings");
    help->callback([o, &program] {
        auto mode = o->all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
        auto& command = command_of(program, o->words);
        print("%s", command.get_formatter()->make_help(&command, path_of(command), mode).c_str());
    });
}

void add_completion_command(CLI::App& program) {
    auto shell = std::make_shared<std::string>();
    auto* command = program.add_subcommand(
        "completion", "Print a script that completes the command line in bash, zsh or fish");
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember(completed_shells()));
    command->callback([shell, &program] {
        print("%s", completion_script(*shell, command_words(program)).c_str());
    });
}

void add_manual_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "manual", "Print the manual page, to be read by `man -l` or installed as treelight.1");
    command->callback(
        [&program] { print("%s", manual_page(command_words(program), version_text()).c_str()); });
}

}  // namespace

void add_shell_commands(CLI::App& program) {
    add_completion_command(program);
    add_manual_command(program);
    add_help_command(program);
}

}  // namespace tl
