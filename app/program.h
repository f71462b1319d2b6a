// The whole program, joined from its rooms.
#pragma once

#include "app/viewer/viewer_interface.h"

namespace tl {

/// Adds every command: view, render, bench, solve, info.
void add_commands(CLI::App& program);
/// All sections of the panel, those of the solvers last, for one viewer.
[[nodiscard]] ViewerInterface viewer_interface();

}  // namespace tl
