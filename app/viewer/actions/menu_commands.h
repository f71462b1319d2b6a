// Commands of single menus, which viewer_commands() joins.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Modifiers of the keys of commands.
namespace modifiers {
inline constexpr Modifiers kNone{}, kShift{.shift = true}, kControl{.control = true},
    kControlShift{.shift = true, .control = true}, kAlt{.alt = true},
    kShiftAlt{.shift = true, .alt = true}, kControlAlt{.control = true, .alt = true};
}  // namespace modifiers

/// The menu Camera, its standard views and bookmarks included.
[[nodiscard]] std::vector<ViewerCommand> camera_commands();
/// The menu Render.
[[nodiscard]] std::vector<ViewerCommand> render_commands();
/// The menu Tree.
[[nodiscard]] std::vector<ViewerCommand> tree_commands();

}  // namespace tl
