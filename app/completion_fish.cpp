#include "app/completion.h"

namespace tl {
namespace {

constexpr const char* kFishQuote = "\\'";

std::string fish_text(const std::string& text) {
    std::string out;
    for (char letter : text) out += letter == '\\' ? "\\\\" : std::string(1, letter);
    return quoted(out, kFishQuote);
}

/// Completes a value: by words, files, or neither.
std::string fish_value(const FlagWords& flag) {
    auto words = flag.words.empty() ? "" : " -a " + fish_text(spaced(flag.words));
    if (flag.kind == ValueKind::file || flag.kind == ValueKind::folder) return " -r -F" + words;
    return " -x" + words;
}

std::string fish_flag(const std::string& head, const FlagWords& flag) {
    auto text = head;
    for (auto& name : flag.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (flag.has_value()) text += fish_value(flag);
    return text + " -d " + fish_text(first_clause(flag.help)) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& commands) {
    std::string text =
        "# Completion of treelight in fish, written by `treelight completion fish`.\n"
        "set -g __treelight_commands";
    for (auto& command : commands)
        if (!command.path.empty()) text += " " + fish_text(command.path);
    text +=
        "\n# Whether the line leads to the command of these words.\n"
        "function __treelight_at\n"
        "    set -l command\n"
        "    for word in (commandline -opc)[2..-1]\n"
        "        contains -- \"$command $word\" $__treelight_commands\n"
        "        or contains -- \"$command$word\" $__treelight_commands\n"
        "        or break\n"
        "        test -n \"$command\"; and set command \"$command $word\"; or set command $word\n"
        "    end\n"
        "    test \"$command\" = \"$argv\"\n"
        "end\n"
        "complete -c treelight -f\n";
    for (auto& command : commands) {
        auto head = "complete -c treelight -n " + fish_text("__treelight_at " + command.path);
        auto prefix = command.path.empty() ? "" : command.path + " ";
        for (auto& name : command.commands)
            for (auto& below : commands)
                if (below.path == prefix + name)
                    text += head + " -a " + name + " -d " + fish_text(below.help) + "\n";
        for (auto& argument : command.arguments)
            text += head + (argument.kind == ValueKind::file ? " -F" : "") +
                    (argument.words.empty() ? "" : " -a " + fish_text(spaced(argument.words))) +
                    "\n";
        for (auto& flag : command.flags) text += fish_flag(head, flag);
    }
    return text;
}

}  // namespace tl
