// Loads GL functions for the current context and reports its renderer and version.
#pragma once

#include <string>

namespace tl {

/// Loads GL 4.5 core through `loader` (glfwGetProcAddress, eglGetProcAddress). Debug builds print
/// the driver's debug messages. Throws UserError if the context is older.
void load_gl(void (*(*loader)(const char*))());

/// GL_RENDERER and GL_VERSION of the current context.
struct GlNames {
    std::string renderer, version;
};
[[nodiscard]] GlNames gl_names();

}  // namespace tl
