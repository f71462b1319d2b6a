// Loads GL functions for the current context and says who answers.
#pragma once

#include <string>

namespace tl {

/// Loads GL 4.5 core through `loader` (glfwGetProcAddress, eglGetProcAddress). Debug builds print
/// what the driver complains about. Throws UserError when the context is older.
void load_gl(void (*(*loader)(const char*))());

/// GL_RENDERER and GL_VERSION of the current context.
struct GlNames {
    std::string renderer, version;
};
[[nodiscard]] GlNames gl_names();

}  // namespace tl
