// Key bindings of commands, and their names in menus.
#include <utility>

#include "app/viewer/actions/viewer_commands.h"

namespace tl {
namespace {

std::string key_name(Key key) {
    constexpr std::pair<Key, const char*> kNames[] = {
        {Key::space, "Space"},  {Key::escape, "Esc"},     {Key::tab, "Tab"}, {Key::home, "Home"},
        {Key::page_up, "PgUp"}, {Key::page_down, "PgDn"}, {Key::del, "Del"}};
    for (auto& [named, name] : kNames)
        if (named == key) return name;
    if (key >= Key::f1 && key <= Key::f12)
        return "F" + std::to_string(static_cast<int>(key) - static_cast<int>(Key::f1) + 1);
    return {static_cast<char>(key)};
}

}  // namespace

const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                 const KeyEvent& event) {
    if (!event.down || event.symbol == Key::unknown) return nullptr;
    for (auto& command : commands)
        for (auto& binding : command.bindings)
            if (binding.key == event.symbol && binding.modifiers == event.modifiers)
                return &command;
    return nullptr;
}

const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                 const TextEvent& event) {
    for (auto& command : commands)
        for (auto& binding : command.bindings)
            if (binding.character && static_cast<char32_t>(binding.character) == event.character)
                return &command;
    return nullptr;
}

std::string binding_text(const KeyBinding& binding) {
    if (binding.character) return {binding.character};
    auto& m = binding.modifiers;
    return std::string(m.control ? "Ctrl+" : "") + (m.shift ? "Shift+" : "") +
           (m.alt ? "Alt+" : "") + key_name(binding.key);
}

std::vector<HelpRow> help_rows(const std::vector<ViewerCommand>& commands) {
    std::vector<HelpRow> rows;
    for (auto& command : commands) {
        std::string keys;
        for (auto& binding : command.bindings)
            keys += (keys.empty() ? "" : " or ") + binding_text(binding);
        if (command.entries) keys = "in the menu";
        rows.push_back({command.menu, keys, command.title, command.help, &command});
    }
    const char* mouse = "Mouse and flying";
    rows.push_back({mouse, "Left drag", "Orbit", "Turn about the target."});
    rows.push_back({mouse, "Double click", "Turn", "Make the surface there the target."});
    rows.push_back({mouse, "Click", "Pin", "In the tab Film: keep looking at this pixel."});
    rows.push_back({mouse, "Click", "Select", "In other tabs: choose the object to edit."});
    rows.push_back({mouse, "Drag a handle", "Transform",
                    "Move, rotate or scale the selected object; Ctrl snaps, Shift moves finely, "
                    "Esc or a right click cancels."});
    rows.push_back({mouse, "Right, middle or Shift+left drag", "Pan", "Move across the view."});
    rows.push_back(
        {mouse, "Wheel", "Zoom", "Move towards what is under the cursor, or away from it."});
    rows.push_back({mouse, "W A S D, Q E", "Fly", "Hold the keys; Shift is faster."});
    rows.push_back({mouse, "Drag while flying", "Look", "Turn the view about the eye."});
    rows.push_back({mouse, "Drag the split", "Compare", "Shift it between sides A and B."});
    rows.push_back({mouse, "Drop a file", "Open", "Any file that Open... takes."});
    return rows;
}

}  // namespace tl
