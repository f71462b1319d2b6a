#include "app/usage.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr std::size_t kNameColumns = 36, kTextColumns = 64;

/// Breaks a text into lines of at most kTextColumns, each after the first indented by kNameColumns.
std::string wrapped(const std::string& text) {
    std::string lines;
    std::size_t used = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find(' ', begin), text.size());
        if (used > 0 && used + 1 + end - begin > kTextColumns) {
            lines += "\n" + std::string(kNameColumns, ' ');
            used = 0;
        }
        if (used > 0) lines += ' ', ++used;
        lines.append(text, begin, end - begin);
        used += end - begin;
        begin = end + 1;
    }
    return lines;
}

/// A row of the help: a name and its description.
std::string help_row(const std::string& name, const std::string& text) {
    std::string row = "  " + name;
    if (text.empty()) return row + "\n";
    if (row.size() + 2 > kNameColumns) row += "\n";
    std::size_t column = row.ends_with('\n') ? 0 : row.size();
    return row + std::string(kNameColumns - column, ' ') + wrapped(text) + "\n";
}

/// Name of an option's value in the help, without CLI11's description of its checks.
std::string value_word(const CLI::Option& option) {
    auto type = option.get_type_name();
    auto word = type.substr(0, type.find(':'));
    return word == "TEXT" ? "NAME" : word;
}

/// Range of an option with such a check, "1 to 20"; else "".
std::string range_text(const CLI::Option& option) {
    auto type = option.get_type_name();
    auto begin = type.find(" in ["), dash = type.find(" - ", begin);
    if (begin == std::string::npos || dash == std::string::npos) return "";
    begin += 5;
    return type.substr(begin, dash - begin) + " to " +
           type.substr(dash + 3, type.find(']', dash) - dash - 3);
}

class HelpStyle : public CLI::Formatter {
  public:
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        auto name = make_option_name(option, is_positional);
        if (option->get_positional() && !is_positional)
            return help_row(name, "the same as the argument " + option->get_name(true));
        if (option->get_type_size() != 0 && !is_positional) {
            auto word = value_word(*option);
            // The default of a declared setting shows what values it takes.
            if (!word.empty()) name += " " + word;
        }
        return help_row(name, text_of(*option));
    }
    std::string make_subcommand(const CLI::App* command) const override {
        return help_row(command->get_name(), command->get_description());
    }

  private:
    /// The description with the range and the default: "samples a pixel (1 to 20; default 5)".
    static std::string text_of(const CLI::Option& option) {
        std::vector<std::string> notes;
        if (option.get_type_size() != 0) {
            if (auto range = range_text(option); !range.empty()) notes.push_back(range);
            auto standard = option.get_default_str();
            if (standard.starts_with('[') && standard.ends_with(']'))
                standard = standard.substr(1, standard.size() - 2);
            if (!standard.empty()) notes.push_back("default " + standard);
            if (option.get_required()) notes.push_back("needed");
        }
        std::vector<std::string> others;
        for (auto* other : option.get_excludes()) others.push_back(other->get_name());
        if (!others.empty()) notes.push_back("not with " + joined(others));
        auto text = option.get_description();
        if (notes.empty()) return text;
        auto all = std::accumulate(
            notes.begin() + 1, notes.end(), notes.front(),
            [](const std::string& a, const std::string& b) { return a + "; " + b; });
        // Declared settings end with what they take, in parentheses.
        bool joins = option.get_group() == "Settings" && text.ends_with(')');
        if (joins) return text.substr(0, text.size() - 1) + "; " + all + ")";
        return text + " (" + all + ")";
    }
};

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
    std::vector<std::string> names;
    for (auto* command : commands) names.push_back(command->get_name());
    return names;
}

/// "; did you mean 'x'?", or "" where no name is near.
std::string suggestion(const std::string& mistyped, const std::vector<std::string>& names) {
    auto name = near_match(mistyped, names);
    return name.empty() ? "" : "; did you mean '" + name + "'?";
}

/// The command that the arguments have led to.
const CLI::App& parsed_command(const CLI::App& program) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

std::string unexpected(const CLI::App& command, const std::string& argument) {
    std::string of = " of '" + command.get_name() + "'";
    bool is_flag = argument.size() > 1 && argument[0] == '-';
    if (!is_flag) return "unexpected argument '" + argument + "'" + of;
    std::vector<std::string> flags;
    for (auto* option : command.get_options())
        for (auto& name : option->get_lnames()) flags.push_back("--" + name);
    auto name = argument.substr(0, argument.find('='));
    return "unknown flag " + name + of + suggestion(name, flags);
}

std::string needed(const CLI::App& command) {
    for (auto* option : command.get_options())
        if (option->get_required() && option->count() == 0)
            return "'" + command.get_name() + "' needs " +
                   option->get_name(option->get_positional()) + ": " + option->get_description();
    return "";
}

/// Error for an option with too few or too many values; its name is before the colon of `what`.
std::string wrong_count(const CLI::App& command, const std::string& what) {
    auto name = what.substr(0, what.find(": "));
    if (what.find("At Most") != std::string::npos) return name + " is given more than once";
    auto* option = command.get_option_no_throw(name);
    if (!option) return "";
    int count = option->get_expected_min() * std::max(option->get_type_size_min(), 1);
    auto values = count == 1 ? "a value" : std::to_string(count) + " values";
    return name + " needs " + values + ": " + value_word(*option);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    auto place = text.find(from);
    if (place != std::string::npos) text.replace(place, from.size(), to);
}

/// Formats a number as a person writes it, from CLI11's "1000000.000000"; "" for the largest
/// double.
std::string short_number(const std::string& text) {
    auto value = number_in<double>(text);
    if (!value) return text;
    return *value >= std::numeric_limits<double>::max() ? "" : number_text(*value);
}

/// Error for a value that a check has refused: "--spp: Value 0 not in range 1 to 20".
std::string wrong_value(const std::string& what) {
    constexpr std::string_view kRange = " not in range ", kTo = " to ";
    std::string words = what;
    replace(words, ": Value ", ": ");
    replace(words, " not in {", " is none of {");
    auto range = words.find(kRange), to = words.find(kTo, range);
    if (range == std::string::npos || to == std::string::npos) return words;
    auto from = range + kRange.size();
    auto least = short_number(words.substr(from, to - from));
    auto most = short_number(words.substr(to + kTo.size()));
    return words.substr(0, range) + " is no number from " + least +
           (most.empty() ? " on" : " to " + most);
}

}  // namespace

void set_help_style(CLI::App& program) {
    auto style = std::make_shared<HelpStyle>();
    style->label("Positionals", "Arguments");
    style->label("OPTIONS", "FLAGS");
    style->label("SUBCOMMAND", "COMMAND");
    style->column_width(kNameColumns);
    program.formatter(style);
    program.option_defaults()->group("Flags");
    program.set_help_flag("-h,--help", "print this text");
}

void name_command_groups(CLI::App& program) {
    for (auto* command : program.get_subcommands({})) {
        command->group("Commands");
        if (auto* help = command->get_help_ptr()) help->group("Flags");
        name_command_groups(*command);
    }
}

void check_commands(const CLI::App& program, const std::vector<std::string>& arguments) {
    const CLI::App* command = &program;
    std::string path = program.get_name();
    for (std::size_t i = 0;; ++i) {
        auto commands = command->get_subcommands({});
        if (commands.empty()) return;
        auto names = names_of(commands);
        std::string known = "; known: " + joined(names);
        if (i >= arguments.size()) throw UsageError("'" + path + "' needs a command" + known);
        auto& name = arguments[i];
        if (name == "-h" || name == "--help") return;
        if (command == &program && name == "--version") return;
        if (name.starts_with('-'))
            throw UsageError("unknown flag " + name + " of '" + path + "', which needs a command" +
                             known + suggestion(name, {"--help", "--version"}));
        auto found = std::ranges::find(names, name);
        if (found == names.end())
            throw UsageError("unknown command '" + name + "' of '" + path + "'" + known +
                             suggestion(name, names));
        command = commands[static_cast<std::size_t>(found - names.begin())];
        path += " " + name;
    }
}

std::string fault_in_words(const CLI::App& program, const CLI::ParseError& error) {
    auto& command = parsed_command(program);
    std::string what = error.what(), words;
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        auto extras = command.remaining();
        if (!extras.empty()) words = unexpected(command, extras.front());
    } else if (dynamic_cast<const CLI::RequiredError*>(&error)) {
        words = needed(command);
    } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        words = wrong_count(command, what);
    } else if (dynamic_cast<const CLI::ConversionError*>(&error)) {
        // "Could not convert: --seed = x"
        constexpr std::string_view kStart = "Could not convert: ";
        auto equals = what.find(" = ");
        if (what.starts_with(kStart) && equals != std::string::npos) {
            auto name = what.substr(kStart.size(), equals - kStart.size());
            auto* option = command.get_option_no_throw(name);
            bool is_flag = option && option->get_expected_max() == 0;
            words = name + ": '" + what.substr(equals + 3) +
                    (is_flag ? "' is neither true nor false" : "' is no number that it takes");
        }
    } else if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
        words = what;
        replace(words, " excludes ", " cannot be used together with ");
    } else if (dynamic_cast<const CLI::ValidationError*>(&error)) {
        words = wrong_value(what);
    }
    return words.empty() ? what : words;
}

std::string near_match(const std::string& mistyped, const std::vector<std::string>& names) {
    constexpr std::size_t kLongest = 64;
    if (mistyped.size() > kLongest) return "";
    std::string nearest;
    // Accepts as many wrong, missing or additional letters as a third of the name has, or one.
    std::size_t least = std::max<std::size_t>(mistyped.size() / 3, 1) + 1;
    for (auto& name : names) {
        // Edit distance, row by row; transposed neighbouring letters count as one edit.
        std::vector<std::vector<std::size_t>> cost(mistyped.size() + 1,
                                                   std::vector<std::size_t>(name.size() + 1));
        for (std::size_t i = 0; i <= mistyped.size(); ++i)
            for (std::size_t j = 0; j <= name.size(); ++j) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                std::size_t differs = mistyped[i - 1] != name[j - 1] ? 1 : 0;
                cost[i][j] = std::min(
                    {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + differs});
                bool swapped = i > 1 && j > 1 && mistyped[i - 1] == name[j - 2] &&
                               mistyped[i - 2] == name[j - 1];
                if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        if (cost.back().back() < least) {
            least = cost.back().back();
            nearest = name;
        }
    }
    return nearest;
}

}  // namespace tl
