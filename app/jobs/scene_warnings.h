// Warnings about the scene that commands print before they render pictures.
#pragma once

#include "session/session.h"

namespace tl {

/// Prints the warnings of the session's scene, and a warning about content that the renderer leaves
/// out (unshown_content.h).
void print_scene_warnings(Session& session);

}  // namespace tl
