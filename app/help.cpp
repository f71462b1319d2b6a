#include "app/help.h"

#include <algorithm>
#include <numeric>

#include "app/commands/flag_groups.h"
#include "core/base/text.h"

namespace tl {
namespace {

constexpr std::size_t kNameColumns = 36, kTextColumns = 64;

/// Breaks a text into lines of at most `columns`, each after the first indented by `indent`.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
    std::string lines;
    std::size_t used = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find(' ', begin), text.size());
        if (used > 0 && used + 1 + end - begin > columns) {
            lines += "\n" + std::string(indent, ' ');
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
    return row + std::string(kNameColumns - column, ' ') +
           wrapped(text, kTextColumns, kNameColumns) + "\n";
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

/// Flags that the help of a command leaves out.
class RareFlags {
  public:
    void add(const std::string& group, std::size_t count) {
        if (!is_settings_group(group)) {
            n_flags_ += count;
            return;
        }
        n_settings_ += count;
        auto section = group.substr(std::string(kSettingsOf).size());
        sections_.push_back(section);
    }
    /// A paragraph that says where they are listed; "" where there are none.
    [[nodiscard]] std::string hint(const std::string& command) const {
        if (n_flags_ + n_settings_ == 0) return "";
        auto flags = std::to_string(n_flags_) + " rare flag" + (n_flags_ == 1 ? "" : "s");
        auto settings = std::to_string(n_settings_) + " setting" + (n_settings_ == 1 ? "" : "s") +
                        ", --NAME-*, of " + joined(sections_);
        auto what = n_settings_ == 0 ? flags
                    : n_flags_ == 0  ? settings
                                     : flags + " and " + settings;
        constexpr std::size_t kColumns = kNameColumns + kTextColumns;
        return "\n" + wrapped("`" + command + " --help-all` also lists " + what, kColumns, 0) +
               "\n";
    }

  private:
    std::size_t n_flags_ = 0, n_settings_ = 0;
    std::vector<std::string> sections_;
};

class HelpStyle : public CLI::Formatter {
  public:
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        auto name = CLI::Formatter::make_option_name(option, is_positional);
        // CLI11's mark of a flag's negative form.
        auto mark = name.find("{false}");
        return mark == std::string::npos ? name : name.erase(mark, 7);
    }
    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        auto name = make_option_name(option, is_positional);
        if (option->get_positional() && !is_positional)
            return help_row(name, "the same as the argument " + option->get_name(true));
        if (option->get_type_size() != 0 && !is_positional) {
            auto word = value_word(*option);
            // The default of a declared setting shows what values it takes.
            if (!word.empty()) name += " " + word;
        }
        return help_row(name, help_of(*option));
    }
    std::string make_subcommand(const CLI::App* command) const override {
        return help_row(command->get_name(), command->get_description());
    }
    std::string make_help(const CLI::App* command, std::string name,
                          CLI::AppFormatMode mode) const override {
        return make_description(command) + make_usage(command, name) + make_positionals(command) +
               groups_text(command, mode == CLI::AppFormatMode::All) +
               make_subcommands(command, CLI::AppFormatMode::Normal) + "\n";
    }

  private:
    /// The flags by their groups; those of rare groups with `has_all` alone.
    std::string groups_text(const CLI::App* command, bool has_all) const {
        std::string text;
        RareFlags rare;
        for (auto& group : command->get_groups()) {
            auto options = command->get_options([&](const CLI::Option* option) {
                return option->get_group() == group && option->nonpositional() &&
                       (has_all || !option->get_positional());
            });
            if (group.empty() || options.empty()) continue;
            if (is_rare_group(group) && !has_all)
                rare.add(group, options.size());
            else
                text += make_group(group, false, options);
        }
        return text + rare.hint(path_of(*command));
    }
};

bool has_rare_flags(const CLI::App& command) {
    return std::ranges::any_of(command.get_groups(), is_rare_group);
}

}  // namespace

std::string value_word(const CLI::Option& option) {
    auto type = option.get_type_name();
    auto word = type.substr(0, type.find(':'));
    if (word == "TEXT") return "NAME";
    if (word == "UINT" || word == "INT") return "N";
    return word == "FLOAT" ? "X" : word;
}

std::string help_of(const CLI::Option& option) {
    std::vector<std::string> notes;
    if (option.get_type_size() != 0) {
        if (auto range = range_text(option); !range.empty()) notes.push_back(range);
        auto standard = option.get_default_str();
        if (standard.starts_with('[') && standard.ends_with(']'))
            standard = standard.substr(1, standard.size() - 2);
        if (!standard.empty()) notes.push_back("default " + standard);
        if (option.get_required()) notes.emplace_back("needed");
    }
    std::vector<std::string> others;
    for (auto* other : option.get_excludes()) others.push_back(other->get_name());
    if (!others.empty()) notes.push_back("not with " + joined(others));
    auto text = option.get_description();
    if (notes.empty()) return text;
    auto all =
        std::accumulate(notes.begin() + 1, notes.end(), notes.front(),
                        [](const std::string& a, const std::string& b) { return a + "; " + b; });
    // Declared settings end with what they take, in parentheses.
    bool joins = is_settings_group(option.get_group()) && text.ends_with(')');
    if (joins) return text.substr(0, text.size() - 1) + "; " + all + ")";
    return text + " (" + all + ")";
}

void set_help_style(CLI::App& program) {
    auto style = std::make_shared<HelpStyle>();
    style->label("Positionals", "Arguments");
    style->label("OPTIONS", "FLAGS");
    style->label("SUBCOMMAND", "COMMAND");
    style->column_width(kNameColumns);
    program.formatter(style);
    program.option_defaults()->group(kFlags);
    program.set_help_flag("-h,--help", "print this text");
    program.set_help_all_flag("--help-all", "print this text with rare flags and all settings");
}

void name_command_groups(CLI::App& program) {
    // --help-all is accepted, but not listed where nothing is left out.
    auto* all = program.get_option_no_throw("--help-all");
    if (all) all->group(has_rare_flags(program) ? kFlags : "");
    for (auto* command : program.get_subcommands({})) {
        command->group("Commands");
        if (auto* help = command->get_help_ptr()) help->group(kFlags);
        name_command_groups(*command);
    }
}

std::string path_of(const CLI::App& command) {
    auto* parent = command.get_parent();
    return parent ? path_of(*parent) + " " + command.get_name() : command.get_name();
}

std::string short_usage(const CLI::App& program) {
    struct Example {
        const char *line, *what;
    };
    constexpr Example kExamples[] = {
        {"treelight view scenes/atrium.toml", "open the viewer"},
        {"treelight render scenes/bunny.toml -o bunny.png", "render a picture"},
        {"treelight bench frame scenes/bunny.toml", "measure the stages of a frame"},
        {"treelight solve svd --rows 512", "decompose a matrix"},
        {"treelight help render", "list the flags of a command"},
    };
    std::string text = program.get_description() + "\n\nUsage: " + program.get_name() +
                       " COMMAND [FLAGS]\n\nExamples:\n";
    for (auto& example : kExamples) {
        std::string line = example.line;
        line.resize(std::max<std::size_t>(line.size(), 50), ' ');
        text += "  " + line + "  " + example.what + "\n";
    }
    text += "\nCommands:\n";
    for (auto* command : program.get_subcommands({}))
        text += help_row(command->get_name(), command->get_description());
    return text;
}

}  // namespace tl
