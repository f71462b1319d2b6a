// The program's commands and flags as plain data, which completion in shells and the manual are
// written from.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tl {

/// Completions of the value of a flag or argument, beside its known words.
enum class ValueKind { none, text, file, folder };

/// A flag with its value, or an argument.
struct FlagWords {
    std::vector<std::string> names;  ///< "-o", "--output"; of an argument: "scene"
    std::string value;               ///< its name, "FILE"; "" for a flag without a value
    ValueKind kind = ValueKind::none;
    std::vector<std::string> words;  ///< known values
    bool is_list = false;            ///< values are separated by commas
    std::string help, group;

    [[nodiscard]] bool has_value() const { return kind != ValueKind::none; }
};

/// A command, or the program itself.
struct CommandWords {
    std::string path;  ///< the words after the program's name, "bench frame"; "" of the program
    std::string name, help;
    std::vector<FlagWords> arguments;
    std::vector<FlagWords> flags;       ///< all that --help-all lists
    std::vector<std::string> commands;  ///< names of the commands below it
};

/// The program and all commands, each before those below it.
[[nodiscard]] std::vector<CommandWords> command_words(const CLI::App& program);

/// The beginning of a help text, up to its first semicolon or colon, for one line of a list.
[[nodiscard]] std::string first_clause(const std::string& help);

}  // namespace tl
