#include "app/command_words.h"

#include "app/help.h"

namespace tl {
namespace {

/// The words in braces of a check's description: "{a,b}".
std::vector<std::string> known_words(const CLI::Option& option) {
    auto type = option.get_type_name();
    auto begin = type.find(":{"), end = type.rfind('}');
    if (begin == std::string::npos || end == std::string::npos) return {};
    return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

ValueKind kind_of_value(const std::string& word) {
    for (const char* file : {"FILE", "PREFIX", "SCENE"})
        if (word.starts_with(file)) return ValueKind::file;
    return word == "FOLDER" ? ValueKind::folder : ValueKind::text;
}

FlagWords words_of_option(const CLI::Option& option) {
    FlagWords flag;
    flag.help = help_of(option);
    flag.group = option.get_group();
    if (option.get_items_expected_max() == 0) return flag;
    flag.words = known_words(option);
    flag.value = value_word(option);
    flag.kind = kind_of_value(flag.value);
    flag.is_list = flag.value.ends_with(",...") || flag.value == "LIST";
    if (flag.value.empty()) flag.value = "VALUE";
    return flag;
}

CommandWords words_of_command(const CLI::App& command, const CLI::App& program) {
    CommandWords words;
    words.name = command.get_name();
    words.help = command.get_description();
    auto path = path_of(command), own = program.get_name();
    words.path = path.size() > own.size() ? path.substr(own.size() + 1) : "";
    for (auto* below : command.get_subcommands({})) words.commands.push_back(below->get_name());
    for (auto* option : command.get_options()) {
        if (option->get_group().empty()) continue;
        auto flag = words_of_option(*option);
        if (option->get_positional()) {
            auto argument = flag;
            argument.names = {option->get_name(true)};
            bool is_open = argument.value == "NAME" && argument.words.empty();
            if (is_open) argument.kind = ValueKind::file;
            words.arguments.push_back(argument);
        }
        for (auto& name : option->get_snames()) flag.names.push_back("-" + name);
        for (auto& name : option->get_lnames()) flag.names.push_back("--" + name);
        if (!flag.names.empty()) words.flags.push_back(flag);
    }
    return words;
}

void add_words(const CLI::App& command, const CLI::App& program, std::vector<CommandWords>& all) {
    all.push_back(words_of_command(command, program));
    for (auto* below : command.get_subcommands({})) add_words(*below, program, all);
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& program) {
    std::vector<CommandWords> all;
    add_words(program, program, all);
    return all;
}

std::string first_clause(const std::string& help) {
    auto end = help.size();
    for (const char* mark : {"; ", ": ", ":\n", " (", "\n"}) end = std::min(end, help.find(mark));
    return help.substr(0, end);
}

}  // namespace tl
