// Rigid motion as animated nodes of glTF.
#pragma once

#include "renderer/scene/export/glb_writer.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Whether add_moving can write this motion in a scene of that duration. It must be rigid, with no
/// key after the end of its round and a limited number of keys in all.
[[nodiscard]] bool is_exportable(const Animation& animation, float duration);

/// Appends a node with this motion; returns the index of its outermost node. The motion's rounds
/// are repeated over the scene's duration, at whose end every channel ends.
int add_moving(GlbWriter& file, const Animation& animation, float duration, Json node);

}  // namespace tl
