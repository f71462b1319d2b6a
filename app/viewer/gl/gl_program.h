// Creates GL programs from the embedded shaders.
#pragma once

namespace tl {

/// Compiles and links; the caller owns the returned name. Throws UserError with the driver's log.
[[nodiscard]] unsigned link_program(const char* vertex, const char* fragment);

}  // namespace tl
