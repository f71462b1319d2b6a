// What a command that makes pictures warns of before it makes them.
#pragma once

#include "session/session.h"

namespace tl {

/// Prints the warnings of the session's scene, and what of it the renderer does not show.
void print_scene_warnings(Session& session);

}  // namespace tl
