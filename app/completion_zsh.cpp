#include "app/completion.h"

namespace tl {
namespace {

constexpr const char* kZshQuote = "'\\''";

/// A text in a specification of _arguments, where brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (char letter : text) {
        if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') out += '\\';
        out += letter;
    }
    return out;
}

std::string zsh_function(const std::string& path) {
    std::string name = "_treelight";
    for (char letter : path.empty() ? path : " " + path) name += letter == ' ' ? '_' : letter;
    return name;
}

/// Completes a value.
std::string zsh_action(const FlagWords& flag) {
    if (flag.value == "SCENE") return "_treelight_scenes";
    if (flag.kind == ValueKind::file) return "_files";
    if (flag.kind == ValueKind::folder) return "_files -/";
    if (flag.words.empty()) return " ";
    auto words = zsh_text(spaced(flag.words));
    return flag.is_list ? "_sequence compadd - " + words : "(" + words + ")";
}

std::string zsh_flag(const FlagWords& flag) {
    std::string text = "[" + zsh_text(first_clause(flag.help)) + "]";
    if (flag.has_value()) text += ":" + zsh_text(flag.value) + ":" + zsh_action(flag);
    std::string lines;
    auto all = "(" + spaced(flag.names) + ")";
    for (auto& name : flag.names) {
        bool is_long = name.starts_with("--");
        auto form = !flag.has_value() ? name : is_long ? name + "=" : name + "+";
        lines +=
            " \\\n        " + quoted((flag.names.size() > 1 ? all : "") + form + text, kZshQuote);
    }
    return lines;
}

/// The function of a command without commands below it.
std::string zsh_leaf(const CommandWords& command) {
    std::string text = zsh_function(command.path) + "() {\n    _arguments";
    for (auto& flag : command.flags) text += zsh_flag(flag);
    for (auto& argument : command.arguments)
        text += " \\\n        " +
                quoted("*:" + argument.names.front() + ":" + zsh_action(argument), kZshQuote);
    return text + "\n}\n";
}

/// The function of a command with commands below it, or of the program.
std::string zsh_branch(const CommandWords& command, const std::vector<CommandWords>& all) {
    std::string text = zsh_function(command.path) +
                       "() {\n    local state line curcontext=$curcontext\n"
                       "    typeset -A opt_args\n    local -a commands=(";
    auto prefix = command.path.empty() ? "" : command.path + " ";
    std::string cases;
    for (auto& name : command.commands)
        for (auto& below : all) {
            if (below.path != prefix + name) continue;
            text += "\n        " + quoted(name + ":" + below.help, kZshQuote);
            cases += "        " + name + ") " + zsh_function(below.path) + " ;;\n";
        }
    text += ")\n    _arguments -C";
    for (auto& flag : command.flags) text += zsh_flag(flag);
    return text +
           " \\\n        '1: :->command' '*:: :->rest'\n"
           "    case $state in\n    command) _describe command commands ;;\n"
           "    rest)\n        case $words[1] in\n" +
           cases + "        esac\n        ;;\n    esac\n}\n";
}

}  // namespace

std::string zsh_completion(const std::vector<CommandWords>& commands) {
    std::string text =
        "#compdef treelight\n# Completion of treelight in zsh, written by `treelight completion "
        "zsh`.\n";
    std::vector<std::string> scenes;
    for (auto& command : commands) {
        text += command.commands.empty() ? zsh_leaf(command) : zsh_branch(command, commands);
        for (auto& argument : command.arguments)
            if (argument.value == "SCENE") scenes = argument.words;
    }
    text += "_treelight_scenes() {\n    _alternative 'files:file:_files' " +
            quoted("scenes:generated scene:(" + zsh_text(spaced(scenes)) + ")", kZshQuote) +
            "\n}\n";
    // The file may be found by compinit or be sourced.
    return text +
           "if [[ $funcstack[1] == _treelight ]]; then\n    _treelight \"$@\"\nelse\n    compdef "
           "_treelight treelight\nfi\n";
}

}  // namespace tl
