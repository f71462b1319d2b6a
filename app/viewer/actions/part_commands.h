// Commands of the menu Add, and those of the menu Edit that act on the selected part.
#pragma once

#include <vector>

#include "app/viewer/viewer_interface.h"

namespace tl {

[[nodiscard]] std::vector<ViewerCommand> part_commands();
/// The contents of the menu Add, and of its submenus.
[[nodiscard]] std::vector<ViewerCommand> add_commands();

}  // namespace tl
