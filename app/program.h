// Assembles the program from its commands and panel sections.
#pragma once

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Adds every command.
void add_commands(CLI::App& program);
/// All sections of the side panel for one viewer, those of the solvers last.
[[nodiscard]] ViewerInterface viewer_interface();

}  // namespace tl
