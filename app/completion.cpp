#include "app/completion.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/commands/flag_groups.h"

namespace tl {
namespace {

constexpr const char* kBashHead =
    R"(# Completion of treelight in bash, written by `treelight completion bash`.
_treelight() {
    local line=${COMP_LINE:0:COMP_POINT} words=() current flag command='' values='' kind='' i
    # COMP_WORDS separates colons and equals signs.
    # shellcheck disable=SC2162
    read -a words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    current=${words[-1]} flag=${words[-2]}
    for ((i = 1; i < ${#words[@]} - 1; ++i)); do
        case "$command ${words[i]}" in
        @COMMANDS@) command=${command:+$command }${words[i]} ;;
        *) break ;;
        esac
    done
    [[ $current == --*=* ]] && flag=${current%%=*} current=${current#*=}
    case "$command:$flag" in
@VALUES@    esac
    if [[ $kind == '' && $current == -* ]]; then
        kind=words
        case "$command" in
@FLAGS@        esac
    elif [[ $kind == '' ]]; then
        case "$command" in
@ARGUMENTS@        esac
    fi
    _treelight_reply
}
# Sets the replies of `kind`: those of the `values`, and files or folders, that begin with `current`.
_treelight_reply() {
    local begun='' last=$current
    [[ $kind == list ]] && begun=${current%"${current##*,}"} last=${current##*,}
    mapfile -t COMPREPLY < <(compgen -P "$begun" -W "$values" -- "$last")
    local files=()
    [[ $kind == file ]] && mapfile -t files < <(compgen -f -- "$current")
    [[ $kind == folder ]] && mapfile -t files < <(compgen -d -- "$current")
    ((${#files[@]})) && compopt -o filenames 2>/dev/null
    COMPREPLY+=("${files[@]}")
    # Readline replaces what follows the last colon.
    local colon=${current%"${current##*:}"}
    [[ $colon && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${COMPREPLY[@]#"$colon"}")
}
complete -F _treelight treelight
)";

void replace_mark(std::string& text, const std::string& mark, const std::string& by) {
    text.replace(text.find(mark), mark.size(), by);
}

const char* bash_kind(const FlagWords& flag) {
    if (flag.kind == ValueKind::file) return "file";
    if (flag.kind == ValueKind::folder) return "folder";
    return flag.is_list ? "list" : "words";
}

/// The assignments that a value of the flag is completed by.
std::string bash_value(const FlagWords& flag) {
    std::string text = std::string("kind='") + bash_kind(flag) + "'";
    if (!flag.words.empty()) text += " values=" + quoted(spaced(flag.words), "'\\''");
    return text;
}

/// Cases of the flags with a value. Those that are the same in all commands that have them share
/// one pattern.
std::string bash_values(const std::vector<CommandWords>& commands) {
    std::map<std::string, std::map<std::string, std::vector<std::string>>> by_flag;
    std::set<std::string> plain;  // flags that some command has without a value
    for (auto& command : commands)
        for (auto& flag : command.flags)
            for (auto& name : flag.names)
                if (flag.has_value())
                    by_flag[name][bash_value(flag)].push_back(command.path);
                else
                    plain.insert(name);
    std::map<std::string, std::string> patterns;  // by what they assign
    for (auto& [name, values] : by_flag)
        for (auto& [value, paths] : values) {
            auto& pattern = patterns[value];
            if (values.size() == 1 && !plain.contains(name)) {
                pattern.append(pattern.empty() ? "*:" : " | *:").append(name);
                continue;
            }
            for (auto& path : paths)
                pattern.append(pattern.empty() ? "'" : " | '").append(path + "':" + name);
        }
    std::string text;
    for (auto& [value, pattern] : patterns) text += "    " + pattern + ") " + value + " ;;\n";
    return text;
}

/// Cases of the commands with their flags, the rare ones once more than the hyphens is typed.
std::string bash_flags(const std::vector<CommandWords>& commands) {
    std::string text;
    for (auto& command : commands) {
        std::vector<std::string> usual, rare;
        for (auto& flag : command.flags) {
            auto& list = is_rare_group(flag.group) ? rare : usual;
            list.insert(list.end(), flag.names.begin(), flag.names.end());
        }
        text += "        '" + command.path + "')\n            values='" + spaced(usual) + "'\n";
        if (!rare.empty())
            text += "            [[ $current == --?* ]] && values+=' " + spaced(rare) + "'\n";
        text += "            ;;\n";
    }
    return text;
}

std::string bash_arguments(const std::vector<CommandWords>& commands) {
    std::string text;
    for (auto& command : commands) {
        std::string value;
        if (!command.commands.empty())
            value = "values='" + spaced(command.commands) + "'";
        else if (!command.arguments.empty())
            value = bash_value(command.arguments.front());
        if (!value.empty()) text += "        '" + command.path + "') " + value + " ;;\n";
    }
    return text;
}

}  // namespace

const std::vector<std::string>& completed_shells() {
    static const std::vector<std::string> shells{"bash", "zsh", "fish"};
    return shells;
}

std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands) {
    if (shell == "bash") return bash_completion(commands);
    return shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

std::string bash_completion(const std::vector<CommandWords>& commands) {
    std::string paths;
    for (auto& command : commands) {
        if (command.path.empty()) continue;
        bool is_below = command.path.find(' ') != std::string::npos;
        paths.append(paths.empty() ? "'" : " | '")
            .append(std::string(is_below ? "" : " ") + command.path);
        paths += "'";
    }
    std::string text = kBashHead;
    replace_mark(text, "@COMMANDS@", paths);
    replace_mark(text, "@VALUES@", bash_values(commands));
    replace_mark(text, "@FLAGS@", bash_flags(commands));
    replace_mark(text, "@ARGUMENTS@", bash_arguments(commands));
    return text;
}

std::string quoted(const std::string& text, const std::string& escape) {
    std::string out = "'";
    for (char letter : text) out += letter == '\'' ? escape : std::string(1, letter);
    return out + "'";
}

std::string spaced(const std::vector<std::string>& words) {
    std::string text;
    for (auto& word : words) text.append(text.empty() ? "" : " ").append(word);
    return text;
}

}  // namespace tl
