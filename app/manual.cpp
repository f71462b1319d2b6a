#include "app/manual.h"

#include <algorithm>

#include "app/commands/flag_groups.h"

namespace tl {
namespace {

/// Text of a page, in which hyphens are those of the keyboard and no line is a request.
std::string roff(const std::string& text) {
    std::string out;
    for (char letter : text) {
        if (letter == '-')
            out += "\\-";
        else if (letter == '\\')
            out += "\\e";
        else
            out += letter;
    }
    bool is_request = out.starts_with('.') || out.starts_with('\'');
    return is_request ? "\\&" + out : out;
}

std::string bold(const std::string& text) {
    return "\\fB" + roff(text) + "\\fR";
}

/// A tagged paragraph: names in bold, the value in italics, and the help.
std::string tagged(const std::vector<std::string>& names, const std::string& value,
                   const std::string& help) {
    std::string text = ".TP\n";
    for (std::size_t i = 0; i < names.size(); ++i)
        text.append(i == 0 ? "" : ", ").append(bold(names[i]));
    if (!value.empty()) text += " \\fI" + roff(value) + "\\fR";
    return text + "\n" + roff(help) + "\n";
}

std::string section(const std::string& title) {
    return ".SH " + title + "\n";
}

std::string subsection(const std::string& title) {
    return ".SS \"" + roff(title) + "\"\n";
}

std::string usage_line(const CommandWords& command) {
    auto line = "treelight " + command.path + " [FLAGS]";
    for (auto& argument : command.arguments) line += " [" + argument.names.front() + "]";
    return line;
}

/// The flags of a command; settings have a section of their own.
std::string command_text(const CommandWords& command) {
    auto text = subsection(usage_line(command)) + roff(command.help) + "\n";
    for (auto& argument : command.arguments) text += tagged(argument.names, "", argument.help);
    std::string sections, last;
    for (auto& flag : command.flags) {
        bool is_argument =
            std::ranges::any_of(command.arguments, [&](auto& a) { return a.help == flag.help; });
        if (is_argument) continue;
        if (!is_settings_group(flag.group)) {
            text += tagged(flag.names, flag.has_value() ? flag.value : "", flag.help);
        } else if (flag.group != last) {
            last = flag.group;
            sections +=
                (sections.empty() ? "" : ", ") + flag.group.substr(std::string(kSettingsOf).size());
        }
    }
    if (!sections.empty())
        text += ".PP\nIt takes these settings, listed below: " + roff(sections) + ".\n";
    return text;
}

/// All settings, each once, by their sections.
std::string settings_text(const std::vector<CommandWords>& commands) {
    std::vector<std::string> groups, named;
    std::vector<std::string> texts;
    for (auto& command : commands)
        for (auto& flag : command.flags) {
            if (!is_settings_group(flag.group)) continue;
            if (std::ranges::find(named, flag.names.front()) != named.end()) continue;
            named.push_back(flag.names.front());
            auto found = std::ranges::find(groups, flag.group);
            auto place = static_cast<std::size_t>(found - groups.begin());
            if (found == groups.end()) {
                groups.push_back(flag.group);
                texts.push_back(subsection(flag.group));
            }
            texts[place] += tagged(flag.names, "", flag.help);
        }
    std::string text;
    for (auto& of_group : texts) text += of_group;
    return text;
}

constexpr const char* kExamples = R"(.TP
\fBtreelight view scenes/atrium.toml\fR
opens the viewer.
.TP
\fBtreelight render scenes/glossy.toml \-\-renderer path \-\-spp 1024 \-o glossy.exr\fR
renders a picture.
.TP
\fBtreelight render scenes/waves.toml \-\-frames 0:299 \-o waves.mp4\fR
renders a video, where ffmpeg is installed.
.TP
\fBtreelight solve svd \-\-input matrix.npy \-\-out result\fR
decomposes a matrix.
)";

constexpr const char* kExitStatus = R"(.TP
\fB0\fR
The work is complete, and all output was written.
.TP
\fB1\fR
Something failed: a file, the machine, or a limit.
.TP
\fB2\fR
The command line is wrong.
)";

constexpr const char* kEnvironment = R"(.TP
\fBDISPLAY\fR, \fBWAYLAND_DISPLAY\fR
The display of the viewer; without one, \fBview\fR needs \fB\-\-offscreen\fR.
.TP
\fBXDG_CACHE_HOME\fR
Folder of compiled solvers of polynomial systems.
)";

}  // namespace

std::string manual_page(const std::vector<CommandWords>& commands, const std::string& version) {
    auto& program = commands.front();
    std::string text = ".\\\" Written by `treelight manual`.\n.TH TREELIGHT 1 \"\" \"" +
                       roff(version) + "\" \"User Commands\"\n" + section("NAME") +
                       "treelight \\- an interactive renderer\n" + section("SYNOPSIS") +
                       bold("treelight") + " \\fICOMMAND\\fR [\\fIFLAGS\\fR]\n" +
                       section("DESCRIPTION") + roff(program.help) + "\n";
    for (auto& flag : program.flags) text += tagged(flag.names, "", flag.help);
    text += section("EXAMPLES") + kExamples + section("COMMANDS");
    for (auto& command : commands)
        if (command.commands.empty()) text += command_text(command);
    text += section("SETTINGS") +
            "Flags of renderers, tree builders, the film and solvers. Scene files have the same "
            "settings.\n" +
            settings_text(commands);
    return text + section("\"EXIT STATUS\"") + kExitStatus + section("ENVIRONMENT") + kEnvironment;
}

}  // namespace tl
