// `treelight view`: the interactive viewer, in a window or offscreen.
#pragma once

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Adds the command, its flags and those of the interface's sections.
void add_view_command(CLI::App& program, ViewerInterface interface);

}  // namespace tl
