// Help texts of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tl {

/// Sets the words and the layout of the help of a program and of the commands that are added to it
/// afterwards.
void set_help_style(CLI::App& program);
/// Sets the words of the commands that a program has.
void name_command_groups(CLI::App& program);

/// The words that lead to a command: "treelight bench frame".
[[nodiscard]] std::string path_of(const CLI::App& command);
/// Name of an option's value in the help, such as "FILE", without CLI11's description of its
/// checks.
[[nodiscard]] std::string value_word(const CLI::Option& option);
/// The description of an option with its range and default.
[[nodiscard]] std::string help_of(const CLI::Option& option);

/// Text that the program prints without arguments: examples and the commands.
[[nodiscard]] std::string short_usage(const CLI::App& program);

}  // namespace tl
