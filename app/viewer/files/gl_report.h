// The state of OpenGL on this machine, queried through an offscreen context.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tl {

/// Texts by name: "renderer", GL_RENDERER or why there is no context; "version", GL_VERSION, ""
/// without a context; "interop", "yes" or why CUDA cannot share buffers with GL. Creates and
/// destroys an EGL device context; never throws.
[[nodiscard]] nlohmann::ordered_json report_gl();

}  // namespace tl
