// The state of OpenGL on this machine, queried through an offscreen context.
#pragma once

#include <string>

namespace tl {

struct GlReport {
    std::string renderer;  ///< GL_RENDERER, or why there is no context
    std::string version;   ///< GL_VERSION, "" without a context
    std::string interop;   ///< "yes", or why CUDA cannot share buffers with GL
};

/// Creates and destroys an EGL device context; never throws.
[[nodiscard]] GlReport report_gl();

}  // namespace tl
