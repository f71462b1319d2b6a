// The menu of decompositions, for the table of commands.
#pragma once

#include <vector>

#include "app/viewer/viewer_commands.h"

namespace tl {

[[nodiscard]] std::vector<ViewerCommand> svd_commands();

}  // namespace tl
