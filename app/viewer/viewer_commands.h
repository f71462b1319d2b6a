// The viewer's own commands, and how keys find commands.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Those of the viewer itself; sections of the panel add theirs.
[[nodiscard]] std::vector<ViewerCommand> viewer_commands();
/// The command that a key or a typed character calls, or null.
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
/// Every command by menu, then what mouse and held keys do.
[[nodiscard]] std::vector<HelpRow> help_rows(const std::vector<ViewerCommand>& commands);

}  // namespace tl
