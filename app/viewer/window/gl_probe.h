// Tries OpenGL in a copy of the process, since a driver that runs out of memory may crash or hang.
#pragma once

#include "app/viewer/window/gl_setup.h"

namespace tl {

/// The names of the OpenGL that EglContext opens. Throws UserError that says why there is none.
/// Call it before devices are used.
[[nodiscard]] GlNames probe_gl();

/// Where a limit is set on this process's address space: throws UserError if that is too little for
/// pictures through OpenGL, or what probe_gl() throws.
void require_gl_within_limits();

}  // namespace tl
