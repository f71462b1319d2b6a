// GL programs from the shaders that are embedded in the program.
#pragma once

namespace tl {

/// Compiles and links; the caller owns the name. Throws UserError with what the driver says.
[[nodiscard]] unsigned link_program(const char* vertex, const char* fragment);

}  // namespace tl
