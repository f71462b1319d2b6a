// Help texts of the command line, and errors in words that a user can act on.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tl {

/// Sets the words and the layout of the help of a program and of the commands that are added to it
/// afterwards.
void set_help_style(CLI::App& program);
/// Sets the words of the commands that a program has.
void name_command_groups(CLI::App& program);

/// Throws UsageError if the arguments name an unknown command, or none where one is needed.
void check_commands(const CLI::App& program, const std::vector<std::string>& arguments);

/// Returns what is wrong with the arguments that `program` has refused, as one sentence.
[[nodiscard]] std::string fault_in_words(const CLI::App& program, const CLI::ParseError& error);

/// The name that differs least from a mistyped one; "" if none is near.
[[nodiscard]] std::string near_match(const std::string& mistyped,
                                     const std::vector<std::string>& names);

}  // namespace tl
