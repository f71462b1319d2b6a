// Options of the command line that have a value.
#pragma once

#include <CLI/CLI.hpp>
#include <ranges>
#include <string>
#include <type_traits>

#include "core/base/text.h"

namespace tl {

/// Adds an option whose help shows the variable's current value as its default. `type` names the
/// value in the help: "N", "FILE".
template <class T>
CLI::Option* add_value(CLI::App& command, const std::string& flag, T& variable, const char* type,
                       const std::string& help) {
    auto* option = command.add_option(flag, variable, help);
    option->type_name(type)->capture_default_str();
    // CLI11 would take -1 for the largest number.
    if constexpr (std::is_unsigned_v<T>)
        option->check(CLI::Validator(
            [](const std::string& text) -> std::string {
                return text.starts_with('-') ? text + " is no whole number from 0" : "";
            },
            ""));
    return option;
}

/// Accepts numbers from `least` to `most`. CLI::Range would also accept what is not a number, nan.
template <class T>
[[nodiscard]] CLI::Validator between(T least, T most) {
    auto fault = [least, most](const std::string& text) -> std::string {
        T value{};
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return "";
        return "Value " + text + " not in range " + number_text(least) + " to " + number_text(most);
    };
    return {fault, CLI::Range(least, most).get_description()};
}

/// Lets an option take a word for one of its numbers, such as "off" for 0; its default is then
/// shown as the word.
inline CLI::Option* name_number(CLI::Option* option, const std::string& word,
                                const std::string& number = "0") {
    auto replace = [word, number](std::string& text) -> std::string {
        if (text == word) text = number;
        return "";
    };
    option->transform(CLI::Validator(replace, "{" + word + "}"));
    if (option->get_default_str() == number) option->default_str(word);
    return option;
}

/// The ids of a table's rows, as help texts list them: "a, b, c".
[[nodiscard]] std::string ids_of(const auto& table) {
    return joined(table | std::views::transform([](auto& row) -> auto& { return row.id; }));
}

/// Adds --json, the file of a report. Call begin_report() with its path before the work.
inline void add_json_option(CLI::App& command, std::string& path) {
    command
        .add_option(
            "--json", path,
            "also write the report as JSON; -: to standard output, and the text to standard "
            "error")
        ->type_name("FILE");
}

}  // namespace tl
