// Compiles GLSL sources into a GL program.
#pragma once

namespace tl {

/// Compiles and links both sources; the caller owns the returned program object. Needs a current GL
/// context. Throws UserError with the driver's log.
[[nodiscard]] unsigned link_program(const char* vertex, const char* fragment);

}  // namespace tl
