// Commands of the menu Add, and commands of the menu Edit that act on the selected part.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Commands that duplicate, rename, hide and delete the selected part.
[[nodiscard]] std::vector<ViewerCommand> part_commands();
/// Commands of the menu Add and its submenus.
[[nodiscard]] std::vector<ViewerCommand> add_commands();

}  // namespace tl
