// Keys that panels ask for themselves.
#pragma once

#include <imgui/imgui.h>

namespace tl {

/// Whether the key was pressed in this frame, or repeats. Only keys that ImguiBridge feeds.
[[nodiscard]] bool pressed(ImGuiKey key);

}  // namespace tl
