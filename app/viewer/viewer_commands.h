// The one table of commands: keys, menus and the help overlay are all made from it.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/viewer_model.h"

namespace tl {

/// A key that calls a command; by what is printed on the key.
struct KeyBinding {
    Key key = Key::unknown;
    Modifiers modifiers;
    char character = 0;  ///< instead of a key: a typed character, wherever it is on the keyboard
};

struct ViewerCommand {
    std::string id;                    ///< "frame-all"
    std::string menu;                  ///< menu it stands in: File, View, Render, Tree, Solve, Help
    std::string title;                 ///< "Frame all"
    std::string help;                  ///< one sentence
    std::vector<KeyBinding> bindings;  ///< the first is shown in the menu
    void (*action)(ViewerModel&);
    /// What it acts on is like now ("on", "whitted"); null where there is nothing to say.
    std::string (*state)(const ViewerModel&) = nullptr;
};

[[nodiscard]] const std::vector<ViewerCommand>& viewer_commands();
/// The command that a key or a typed character calls, or null.
[[nodiscard]] const ViewerCommand* command_for(const KeyEvent& event);
[[nodiscard]] const ViewerCommand* command_for(const TextEvent& event);
/// "Ctrl+O", "Shift+F12", "?".
[[nodiscard]] std::string binding_text(const KeyBinding& binding);

/// A line of the help overlay.
struct HelpRow {
    std::string section, keys, title, help;
    const ViewerCommand* command = nullptr;  ///< null for mouse and flying
};
/// Every command by menu, then what mouse and held keys do.
[[nodiscard]] std::vector<HelpRow> help_rows();

}  // namespace tl
