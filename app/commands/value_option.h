// Options of the command line that have a value.
#pragma once

#include <CLI/CLI.hpp>
#include <ranges>
#include <string>

#include "accel/parallel/text.h"

namespace tl {

/// Adds an option whose help shows the variable's current value as its default. `type` stands for
/// the value in the help: "N", "FILE".
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& flag, T& variable, const char* type,
                       const std::string& help) {
    return command.add_option(flag, variable, help)->type_name(type)->capture_default_str();
}

/// The ids of a table's rows, as help texts list them: "a, b, c".
[[nodiscard]] std::string ids_of(const auto& table) {
    return joined(table | std::views::transform([](auto& row) -> auto& { return row.id; }));
}

/// Adds --json, the file of a report.
inline void add_json_option(CLI::App& command, std::string& path) {
    command.add_option("--json", path, "also write the report as JSON; - is standard output")
        ->type_name("FILE");
}

}  // namespace tl
