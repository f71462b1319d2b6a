// OpenGL renderer, version and CUDA interop of this machine, queried through an offscreen context.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tl {

/// A JSON object of texts. `renderer`: GL_RENDERER, or the reason for no context. `version`:
/// GL_VERSION, or "". `interop`: "yes", or the reason why CUDA cannot share buffers with GL.
/// Creates and destroys an EGL device context; never throws.
[[nodiscard]] nlohmann::ordered_json report_gl();

}  // namespace tl
