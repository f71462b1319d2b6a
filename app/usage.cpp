#include "app/usage.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/help.h"
#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/text.h"

namespace tl {
namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
    std::vector<std::string> names;
    for (auto* command : commands) names.push_back(command->get_name());
    return names;
}

/// The command that the arguments have led to.
const CLI::App& parsed_command(const CLI::App& program) {
    const CLI::App* command = &program;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

/// Flags that the help of a command lists.
std::vector<std::string> listed_flags(const CLI::App& command) {
    std::vector<std::string> flags;
    for (auto* option : command.get_options())
        if (!option->get_group().empty())
            for (auto& name : option->get_lnames()) flags.push_back("--" + name);
    return flags;
}

/// Suggests the flags that end with the words of `name`, as --path-max-depth does for --max-depth.
std::string longer_flags(const std::string& name, const std::vector<std::string>& flags) {
    if (!name.starts_with("--")) return "";
    std::vector<std::string> longer;
    for (auto& flag : flags)
        if (flag.ends_with(name.substr(1))) longer.push_back("'" + flag + "'");
    return longer.empty() ? "" : "; did you mean one of " + joined(longer) + "?";
}

/// Suggests the flag that other programs call `name`.
std::string flag_of_others(const std::string& name, const std::vector<std::string>& flags) {
    constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
        {"--width", "--size"},      {"--height", "--size"},
        {"--resolution", "--size"}, {"--res", "--size"},
        {"-w", "--size"},           {"-s", "--spp"},
        {"--samples", "--spp"},     {"--out", "--output"},
        {"--outfile", "--output"},  {"--gpu", "--device"},
        {"--cpu", "--device"},      {"--cuda", "--device"},
        {"--method", "--renderer"}, {"--integrator", "--renderer"}};
    for (auto& [other, own] : kOthers)
        if (other == name && std::ranges::find(flags, own) != flags.end())
            return "; did you mean '" + std::string(own) + "'?";
    return "";
}

std::string unexpected(const CLI::App& command, const std::vector<std::string>& extras) {
    std::string of = " of '" + command.get_name() + "'";
    if (extras.front() == "--")
        return "unexpected argument '" + extras.at(extras.size() > 1 ? 1 : 0) + "'" + of +
               ": what follows -- is no flag";
    auto& argument = extras.front();
    bool is_flag = argument.size() > 1 && argument[0] == '-';
    if (!is_flag) return "unexpected argument '" + argument + "'" + of;
    auto flags = listed_flags(command);
    auto name = argument.substr(0, argument.find('='));
    auto meant = flag_of_others(name, flags);
    if (meant.empty()) meant = suggestion(name, flags);
    return "unknown flag " + name + of + (meant.empty() ? longer_flags(name, flags) : meant);
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

/// Suggests one of the words that a check names, from "--metric: flap is none of {flip,psnr}".
std::string meant_word(const std::string& fault) {
    constexpr std::string_view kNone = " is none of {";
    auto none = fault.find(kNone), value = fault.rfind(": ", none);
    if (none == std::string::npos || value == std::string::npos || !fault.ends_with('}')) return "";
    auto from = none + kNone.size();
    auto words = CLI::detail::split(fault.substr(from, fault.size() - from - 1), ',');
    return suggestion(fault.substr(value + 2, none - value - 2), words);
}

/// Error for a value that a check has refused: "--spp: Value 0 not in range 1 to 20".
std::string wrong_value(const std::string& what) {
    constexpr std::string_view kRange = " not in range ", kTo = " to ";
    std::string words = what;
    replace(words, ": Value ", ": ");
    replace(words, " not in {", " is none of {");
    auto range = words.find(kRange), to = words.find(kTo, range);
    if (range == std::string::npos || to == std::string::npos) return words + meant_word(words);
    auto from = range + kRange.size();
    auto least = short_number(words.substr(from, to - from));
    auto most = short_number(words.substr(to + kTo.size()));
    return words.substr(0, range) + " is no number from " + least +
           (most.empty() ? " on" : " to " + most);
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

}  // namespace

const CLI::App& command_below(const CLI::App& command, const std::string& name) {
    auto commands = command.get_subcommands({});
    auto names = names_of(commands);
    auto found = std::ranges::find(names, name);
    if (found != names.end()) return *commands[static_cast<std::size_t>(found - names.begin())];
    auto path = path_of(command);
    if (names.empty()) throw UsageError("'" + path + "' has no commands, such as '" + name + "'");
    bool is_root = command.get_parent() == nullptr;
    if (is_root && is_file(name))
        throw UsageError("'" + name + "' is a file, but no command; to see a scene: '" + path +
                         " view " + name + "'");
    std::string known = "; known: " + joined(names);
    if (is_root) names.insert(names.end(), {"--help", "--version"});
    throw UsageError("unknown command '" + name + "' of '" + path + "'" + known +
                     suggestion(name, names));
}

void check_commands(const CLI::App& program, const std::vector<std::string>& arguments) {
    const CLI::App* command = &program;
    for (std::size_t i = 0;; ++i) {
        auto commands = command->get_subcommands({});
        if (commands.empty()) return;
        auto path = path_of(*command);
        std::string known = "; known: " + joined(names_of(commands));
        if (i >= arguments.size()) throw UsageError("'" + path + "' needs a command" + known);
        auto& name = arguments[i];
        if (name == "-h" || name == "--help" || name == "--help-all") return;
        if (command == &program && name == "--version") return;
        // Other programs' flags for the version.
        bool is_version = name == "-v" || name == "-V";
        if (name.starts_with('-'))
            throw UsageError("unknown flag " + name + " of '" + path + "', which needs a command" +
                             known +
                             suggestion(is_version ? "--version" : name, {"--help", "--version"}));
        command = &command_below(*command, name);
    }
}

std::string fault_in_words(const CLI::App& program, const CLI::ParseError& error) {
    auto& command = parsed_command(program);
    std::string what = error.what(), words;
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
        auto extras = command.remaining();
        if (!extras.empty()) words = unexpected(command, extras);
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

}  // namespace tl
