// Tries OpenGL in a copy of the process, since a driver that runs out of memory may crash or hang.
#pragma once

#include "app/viewer/window/gl_setup.h"

namespace tl {

/// Opens OpenGL with EglContext in a child process. Returns the driver's names; GlNames::renderer
/// ends with the name of the context. Throws UserError with the reason if OpenGL cannot be opened,
/// also after a crash or 20 s. Call it before devices are used, since it forks.
[[nodiscard]] GlNames probe_gl();

/// Checks that OpenGL works within a limit on the address space of this process (ulimit -v); does
/// nothing where there is none. Throws UserError if the limit is too low for rendering through
/// OpenGL, or what probe_gl() throws. Call it before devices are used, since it forks.
void require_gl_within_limits();

}  // namespace tl
