// The viewer's own commands, and the lookup of commands by key.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Commands of the viewer itself; sections of the panel add theirs.
[[nodiscard]] std::vector<ViewerCommand> viewer_commands();
/// Command bound to a key or a typed character, or null.
[[nodiscard]] const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                               const KeyEvent& event);
[[nodiscard]] const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                               const TextEvent& event);
/// "Ctrl+O", "Shift+F12", "?".
[[nodiscard]] std::string binding_text(const KeyBinding& binding);

/// A line of the help overlay.
struct HelpRow {
    std::string section, keys, title, help;
    const ViewerCommand* command = nullptr;  ///< null for mouse and flying
};
/// All commands by menu, then the actions of the mouse and of held keys.
[[nodiscard]] std::vector<HelpRow> help_rows(const std::vector<ViewerCommand>& commands);

}  // namespace tl
