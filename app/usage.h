// Errors of the command line in words that a user can act on.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tl {

/// The command of this name below another one. Throws UsageError, which suggests a name.
[[nodiscard]] const CLI::App& command_below(const CLI::App& command, const std::string& name);

/// Throws UsageError if the arguments name an unknown command, or none where one is needed.
void check_commands(const CLI::App& program, const std::vector<std::string>& arguments);

/// Returns what is wrong with the arguments that `program` has refused, as one sentence.
[[nodiscard]] std::string fault_in_words(const CLI::App& program, const CLI::ParseError& error);

}  // namespace tl
